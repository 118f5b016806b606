/**
 * The first element under `root` that matches.
 *
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement}
 * @throws {Error} when the page lacks it, which is a mistake in the page.
 */
export function find(root, selector) {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`The page lacks ${selector}.`);
  return found;
}
