// The preview's form: its values go to the page in the frame and into the snippet.
import { find } from './find.js';
import { snippetNotes, snippetOf } from './snippets.js';
import { createVariables } from './variables.js';

/** @typedef {import('./gallery-cards.js').Assistant} Assistant */
/** @typedef {import('./snippets.js').SnippetKind} SnippetKind */

const form = /** @type {HTMLFormElement} */ (find(document, '.settings'));
const stageForm = /** @type {HTMLFormElement} */ (find(document, '#stage-form'));
const snippetForm = /** @type {HTMLFormElement} */ (find(document, '#snippet-form'));
const choice = /** @type {HTMLSelectElement} */ (find(form, '[name=choice]'));
const uuid = /** @type {HTMLInputElement} */ (find(form, '[name=assistant-id]'));
const color = /** @type {HTMLInputElement} */ (find(form, '#color'));
const picker = /** @type {HTMLInputElement} */ (find(form, '#picker'));
const frame = /** @type {HTMLIFrameElement} */ (find(document, '.device iframe'));
const variables = createVariables(find(form, '#variables'), find(form, '#add-variable'));

/** Fields whose name is the attribute's, and whose empty value means that the assistant decides. */
const plainFields = [
  ...['theme', 'color', 'position', 'dir', 'heading', 'subheading'],
  ...['launcher-label', 'launcher-sublabel', 'placeholder', 'greeting'],
];

/** @param {FormData} data @param {string} name */
const text = (data, name) => {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

/** The element's attributes as the form has them. */
function chosenAttributes() {
  const data = new FormData(form);
  /** @type {Record<string, string>} */
  const attributes = { 'assistant-id': choice.value || text(data, 'assistant-id') };
  const filled = variables.read();
  if (Object.keys(filled).length > 0) attributes['variables'] = JSON.stringify(filled);
  for (const name of plainFields) {
    const value = text(data, name);
    if (value !== '') attributes[name] = value;
  }
  if (text(data, 'place') === 'inline') {
    attributes['inline'] = '';
    delete attributes['position'];
  }
  return attributes;
}

function showSnippet() {
  const attributes = chosenAttributes();
  const isInline = 'inline' in attributes;
  const scriptChoice = /** @type {HTMLInputElement} */ (find(document, '[form=snippet-form][value=script]'));
  scriptChoice.disabled = isInline;
  // The script tag adds the chat to the end of the page; an inline chat has its own place.
  if (isInline && scriptChoice.checked)
    /** @type {HTMLInputElement} */ (find(document, '[form=snippet-form][value=html]')).checked = true;
  const kind = /** @type {SnippetKind} */ (text(new FormData(snippetForm), 'kind'));
  find(document, '#snippet-note').textContent = snippetNotes[kind];
  find(document, '#snippet').textContent = snippetOf(kind, attributes, location.origin);
}

function showStage() {
  const data = new FormData(stageForm);
  find(document, '.device').dataset['width'] = text(data, 'width');
  // A framed page sees the frame's color scheme as its device's.
  frame.style.colorScheme = text(data, 'scheme');
}

/** Preview tokens by assistant, with the time when they are replaced: they are valid for one hour. */
/** @type {Map<string, { token: Promise<string | undefined>, until: number }>} */
const tokens = new Map();

/** @param {string} uuid @returns {Promise<string | undefined>} */
async function requestToken(uuid) {
  const response = await fetch(`/preview-token/${encodeURIComponent(uuid)}`, { method: 'POST' });
  if (!response.ok) return undefined;
  const { token } = await /** @type {Promise<{ token: string }>} */ (response.json());
  return token;
}

/** The preview token of an assistant. Assistants of other owners have none here. @param {string} uuid */
function previewToken(uuid) {
  const known = tokens.get(uuid);
  if (known && known.until > Date.now()) return known.token;
  const token = requestToken(uuid).catch(() => undefined);
  tokens.set(uuid, { token, until: Date.now() + 50 * 60_000 });
  // The next change of the form repeats a failed request.
  void token.then((received) => {
    if (received === undefined) tokens.delete(uuid);
  });
  return token;
}

/** The latest call of `showChat`, since tokens may arrive in another order. */
let latest = 0;

/** @param {{ restart?: boolean }} [options] */
async function showChat({ restart = false } = {}) {
  find(form, '#uuid-field').hidden = choice.value !== '';
  /** @type {HTMLSelectElement} */ (find(form, '[name=position]')).disabled =
    text(new FormData(form), 'place') === 'inline';
  const call = ++latest;
  const attributes = chosenAttributes();
  const token = await previewToken(attributes['assistant-id'] ?? '');
  if (call !== latest) return;
  if (token !== undefined) attributes['user-token'] = token;
  frame.contentWindow?.postMessage({ attributes, restart }, location.origin);
}

function showAll() {
  showStage();
  void showChat();
  showSnippet();
}

async function copySnippet() {
  const status = find(document, '#copy-status');
  const button = find(document, '#copy');
  try {
    await navigator.clipboard.writeText(find(document, '#snippet').textContent);
    status.textContent = 'Copied.';
    button.textContent = 'Copied';
  } catch {
    // Without clipboard access, the text is selected for copying.
    getSelection()?.selectAllChildren(find(document, '#snippet'));
    status.textContent = 'Selected. Press Ctrl+C or ⌘C to copy.';
    button.textContent = 'Selected';
  }
}

async function offerAssistants() {
  const response = await fetch('/assistants.json');
  const assistants = await /** @type {Promise<Assistant[]>} */ (response.json());
  choice.prepend(...assistants.map(({ uuid, name }) => new Option(name, uuid)));
  const wanted = new URLSearchParams(location.search).get('assistant');
  const isListed = assistants.some(({ uuid }) => uuid === wanted);
  choice.value = wanted === null ? (assistants[0]?.uuid ?? '') : isListed ? wanted : '';
  if (wanted !== null && !isListed) uuid.value = wanted;
}

picker.addEventListener('input', () => {
  color.value = picker.value;
});
color.addEventListener('input', () => {
  if (/^#[\da-f]{6}$/i.test(color.value)) picker.value = color.value;
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
});
form.addEventListener('input', () => {
  showSnippet();
});
// A new conversation starts only after typing.
form.addEventListener('change', showAll);
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.form === stageForm) showStage();
  if (target instanceof HTMLInputElement && target.form === snippetForm) showSnippet();
});
find(document, '#restart').addEventListener('click', () => {
  void showChat({ restart: true });
});
find(document, '#copy').addEventListener('click', () => void copySnippet());
find(document, '#copy').addEventListener('blur', ({ currentTarget }) => {
  if (currentTarget instanceof HTMLElement) currentTarget.textContent = 'Copy';
});

await offerAssistants();
addEventListener('message', (/** @type {MessageEvent<unknown>} */ { origin, source, data }) => {
  if (origin === location.origin && source === frame.contentWindow && data === 'ready') void showChat();
});
showAll();
