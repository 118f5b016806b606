import { find } from './find.js';

/** Maximum number of rows, as in the service. */
const maximum = 100;

/**
 * A list of key and value rows.
 *
 * @param {HTMLElement} list Where the rows go.
 * @param {HTMLElement} addButton Adds an empty one.
 */
export function createVariables(list, addButton) {
  let rows = 0;

  /** @param {string} label @param {string} name */
  const createInput = (label, name) => {
    const input = document.createElement('input');
    input.setAttribute('aria-label', label);
    input.placeholder = name;
    input.className = name;
    input.autocomplete = 'off';
    return input;
  };

  const add = () => {
    if (list.children.length >= maximum) return;
    rows += 1;
    const number = String(rows);
    const row = document.createElement('div');
    row.className = 'variable';
    const keyInput = createInput(`Name of variable ${number}`, 'name');
    const valueInput = createInput(`Value of variable ${number}`, 'value');
    const remove = document.createElement('button');
    remove.type = 'button';
    remove.textContent = '×';
    remove.setAttribute('aria-label', `Remove variable ${number}`);
    remove.addEventListener('click', () => {
      row.remove();
      addButton.focus();
      list.dispatchEvent(new Event('change', { bubbles: true }));
    });
    row.append(keyInput, valueInput, remove);
    list.append(row);
    return row;
  };

  addButton.addEventListener('click', () => {
    const row = add();
    if (row) find(row, '.name').focus();
  });
  add();

  return {
    /** The rows that have a name; of two with the same name, the later one. @returns {Record<string, string>} */
    read: () =>
      Object.fromEntries(
        [...list.children].flatMap((row) => {
          const [key, value] = [...row.querySelectorAll('input')].map((input) => input.value);
          return key?.trim() ? [[key.trim(), value ?? '']] : [];
        }),
      ),
  };
}
