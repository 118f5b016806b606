// Draws the gallery's cards, and mounts a chat when a card is opened.
import { find } from './find.js';
import { galleryGroups } from './gallery-cards.js';

/** @typedef {import('./gallery-cards.js').Card} Card */
/** @typedef {HTMLElement & { show(): void, send(text: string): void }} Chat */

/** Removes the floating chat, since there is room for one. @type {(() => void) | undefined} */
let closeFloating;

const tokenOf = (/** @type {string} */ name) => `--voice-assistant-chat-${name}`;

/** The card's attributes and custom properties, shortened. @param {Card} card */
function tagOf({ attributes, tokens = {} }) {
  const { 'assistant-id': id, ...others } = attributes;
  const declarations = Object.entries(tokens).map(([name, value]) => `${tokenOf(name)}: ${value};`);
  const tag = Object.entries(id === undefined ? others : { ...others, 'assistant-id': id })
    .filter(([name]) => name !== 'persist')
    .map(([name, value]) => {
      const short = value.replace(`${location.origin}/`, '/').replace(/^[\da-f-]{32}(?=[\da-f]{4}$)/, '…');
      if (value === '') return name;
      return value.includes('"') ? `${name}='${short}'` : `${name}="${short}"`;
    })
    .join(' ');
  return [tag, ...declarations].join(' ');
}

/** @param {Card} card */
function createChat({ attributes, properties, tokens = {}, consent, floating }) {
  const chat = /** @type {Chat} */ (document.createElement('voice-assistant-chat'));
  for (const [name, value] of Object.entries(attributes)) chat.setAttribute(name, value);
  Object.assign(chat, properties);
  for (const [name, value] of Object.entries(tokens)) chat.style.setProperty(tokenOf(name), value);
  if (consent !== undefined) {
    const [question, label] = consent;
    const text = document.createElement('p');
    const button = document.createElement('button');
    text.slot = button.slot = 'consent';
    text.textContent = question;
    button.type = 'button';
    button.dataset.consent = '';
    button.textContent = label;
    chat.append(text, button);
  }
  if (!floating) chat.setAttribute('inline', '');
  return chat;
}

/**
 * @param {Card} card
 * @returns {{ element: HTMLElement, open: () => void }}
 */
function createCard(card) {
  const template = /** @type {HTMLTemplateElement} */ (find(document, '#card'));
  const content = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  const element = find(content, '.card');
  element.id = card.id;
  const link = /** @type {HTMLAnchorElement} */ (find(element, 'h3 a'));
  link.textContent = card.title;
  link.href = `?show=${card.id}`;
  find(element, '.says').textContent = card.says;
  find(element, '.hint').textContent = card.hint ?? '';
  find(element, '.hint').hidden = card.hint === undefined;
  find(element, 'code').textContent = tagOf(card);
  const box = find(element, '.chat-box');
  const openButton = find(element, '.open');
  const sendButton = find(element, '.send');
  openButton.setAttribute('aria-label', `Open ${card.title}`);

  /** @type {Chat | undefined} */
  let chat;
  const close = () => {
    chat?.remove();
    chat = undefined;
    show();
  };
  const show = () => {
    const isOpen = chat !== undefined;
    element.classList.toggle('is-open', isOpen);
    box.hidden = !isOpen || card.floating === true;
    openButton.textContent = isOpen ? 'Close' : 'Open';
    openButton.setAttribute('aria-label', `${isOpen ? 'Close' : 'Open'} ${card.title}`);
    sendButton.hidden = !isOpen || card.message === undefined;
  };
  const open = () => {
    if (chat !== undefined) return;
    if (card.floating) {
      closeFloating?.();
      closeFloating = close;
    }
    chat = createChat(card);
    (card.floating ? document.body : box).append(chat);
    show();
    if (card.floating && card.attributes.teaser === undefined)
      void customElements.whenDefined(chat.localName).then(() => chat?.show());
  };
  openButton.addEventListener('click', () => {
    if (chat === undefined) open();
    else close();
  });
  sendButton.addEventListener('click', () => {
    chat?.send(card.message ?? '');
  });
  return { element, open };
}

async function drawGallery() {
  const response = await fetch('/assistants.json');
  const assistants = await /** @type {Promise<import('./gallery-cards.js').Assistant[]>} */ (response.json());
  const groups = galleryGroups(assistants);
  const only = new URLSearchParams(location.search).get('show');
  /** @type {Map<string, () => void>} */
  const openers = new Map();
  const place = find(document, '#groups');

  for (const group of groups) {
    const cards = group.cards.filter(({ id }) => only === null || id === only);
    if (cards.length === 0) continue;
    const section = document.createElement('section');
    section.className = 'group';
    const heading = document.createElement('h2');
    heading.textContent = group.title;
    const says = document.createElement('p');
    says.textContent = group.says;
    const grid = document.createElement('div');
    grid.className = 'cards';
    for (const card of cards) {
      const { element, open } = createCard(card);
      openers.set(card.id, open);
      grid.append(element);
    }
    section.append(heading, says, grid);
    place.append(section);
  }

  if (openers.size === 0) {
    const nothing = document.createElement('p');
    nothing.textContent = `There is no card “${only ?? ''}”.`;
    place.append(nothing);
  }
  if (only !== null) {
    document.body.classList.add('one-card');
    find(document, '.all').hidden = false;
    openers.get(only)?.();
  }

  const openNamed = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    openers.get(id)?.();
    if (openers.has(id)) document.getElementById(id)?.scrollIntoView({ block: 'start' });
  };
  addEventListener('hashchange', openNamed);
  openNamed();
}

void drawGallery();
