// Moves, clones, removes and re-adds the chat, as pages with client-side rendering do.
import { find } from './find.js';

const places = [find(document, '#here'), find(document, '#there')];

/** @type {HTMLElement} */
let chat = document.createElement('voice-assistant-chat');
chat.setAttribute('assistant-id', '6f1f3d0a-52c4-4c7b-9d53-0b6a5d1c7e01');
chat.setAttribute('base-url', `${location.origin}/faults/word-by-word`);
chat.setAttribute('theme', 'light');

/** A place without the chat. */
const otherPlace = () => /** @type {HTMLElement} */ (places.find((place) => !place.contains(chat)));

/** @type {Record<string, () => void>} */
const actions = {
  move: () => {
    otherPlace().append(chat);
  },
  clone: () => {
    const clone = /** @type {HTMLElement} */ (chat.cloneNode(true));
    chat.replaceWith(clone);
    chat = clone;
  },
  remove: () => {
    chat.remove();
  },
  add: () => {
    if (!chat.isConnected) otherPlace().append(chat);
  },
  shake: () => {
    for (let round = 0; round < 20; round++) {
      actions['move']?.();
      actions['remove']?.();
      actions['add']?.();
    }
  },
};

for (const button of document.querySelectorAll('[data-do]')) {
  button.addEventListener('click', () => {
    actions[button.getAttribute('data-do') ?? '']?.();
  });
}

actions['add']?.();
