// The page in the preview's frame: shows the chat with the form's settings.
import { find } from './find.js';

/** @typedef {{ attributes: Record<string, string>, restart: boolean }} Order */

/** Attributes whose change starts a new conversation. */
const beginning = ['assistant-id', 'variables', 'inline'];

/** @type {HTMLElement | undefined} */
let chat;

/** @param {Record<string, string>} wanted */
function setAttributes(wanted) {
  for (const name of chat?.getAttributeNames() ?? [])
    if (!(name in wanted) && name !== 'open') chat?.removeAttribute(name);
  for (const [name, value] of Object.entries(wanted))
    if (chat?.getAttribute(name) !== value) chat?.setAttribute(name, value);
}

/** @param {Order} order */
function follow({ attributes, restart }) {
  /** @type {Record<string, string>} */
  const wanted = { ...attributes, type: 'test', persist: 'none' };
  const place = find(document, '#inline-place');
  document.documentElement.dir = attributes['dir'] ?? '';
  const isSame =
    !restart &&
    chat !== undefined &&
    beginning.every((name) => (chat?.getAttribute(name) ?? undefined) === attributes[name]);
  if (!isSame) {
    // Open at first. By attribute, since `show()` would move the focus away from the form.
    if (chat?.hasAttribute('open') ?? true) wanted['open'] = '';
    chat?.remove();
    chat = document.createElement('voice-assistant-chat');
  }
  setAttributes(wanted);
  const isInline = 'inline' in attributes;
  place.hidden = !isInline;
  if (chat !== undefined && !chat.isConnected) (isInline ? place : document.body).append(chat);
}

addEventListener('message', (/** @type {MessageEvent<Order>} */ { origin, source, data }) => {
  if (origin === location.origin && source === parent) follow(data);
});
parent.postMessage('ready', location.origin);
