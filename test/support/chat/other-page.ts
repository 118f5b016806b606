import { Chat, until } from './chat-fixture.ts';
import { service } from '../browser/service-under-test.ts';

/** Another page of the same site, with a chat in it. */
export interface OtherPage {
  readonly window: Window & typeof globalThis;
  readonly chat: Chat;
  /** Closes the page. */
  readonly close: () => void;
}

/**
 * Opens another page with a chat.
 *
 * @param prepare changes the page before the chat's script runs
 * @param script the path of the chat's script
 * @param doctype of the page; without it, browsers are in quirks mode
 */
export async function openPage(
  prepare?: (page: Window) => void,
  script = '/dist/voice-assistant-chat.js',
  doctype = '<!doctype html>',
): Promise<OtherPage> {
  const frame = document.createElement('iframe');
  // Makes the frame load a document; its initial empty one has no load event to wait for.
  const content = `${doctype}<title>Another page</title>`;
  if (doctype) frame.srcdoc = content;
  // Documents of `srcdoc` are never in quirks mode.
  else frame.src = URL.createObjectURL(new Blob([content], { type: 'text/html' }));
  frame.height = '500';
  const loaded = new Promise((resolve) => {
    frame.addEventListener('load', resolve, { once: true });
  });
  document.body.append(frame);
  await loaded;
  const { contentWindow: page, contentDocument } = frame;
  if (page === null || contentDocument === null) throw new Error('The frame has no page.');
  await receiveEarlierStorageEvents(page);
  prepare?.(page);
  const tag = contentDocument.createElement('script');
  tag.type = 'module';
  tag.src = new URL(script, location.href).href;
  const element = contentDocument.createElement('voice-assistant-chat');
  element.setAttribute('base-url', service.url);
  element.setAttribute('assistant-id', service.assistantThatShows('greeting'));
  contentDocument.body.append(tag, element);
  const chat = new Chat(element);
  await until(() => element.shadowRoot !== null, 'the chat of the other page');
  return {
    window: page as OtherPage['window'],
    chat,
    close: () => {
      frame.remove();
    },
  };
}

/**
 * Waits until a page has received the storage events of what was written before it existed: browsers deliver them later,
 * also to pages that open meanwhile. It would take the `forget()` at the end of an earlier test for one of its own time.
 */
async function receiveEarlierStorageEvents(page: Window): Promise<void> {
  const key = 'last-written-before-the-page';
  const received = new Promise<void>((resolve) => {
    const onStorage = (event: StorageEvent): void => {
      if (event.key !== key) return;
      page.removeEventListener('storage', onStorage);
      resolve();
    };
    page.addEventListener('storage', onStorage);
  });
  localStorage.setItem(key, '');
  localStorage.removeItem(key);
  await received;
}
