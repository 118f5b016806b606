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
 */
export async function openPage(
  prepare?: (page: Window) => void,
  script = '/dist/voice-assistant-chat.js',
): Promise<OtherPage> {
  const frame = document.createElement('iframe');
  // Makes the frame load a document; its initial empty one has no load event to wait for.
  frame.srcdoc = '<!doctype html><title>Another page</title>';
  frame.height = '500';
  const loaded = new Promise((resolve) => {
    frame.addEventListener('load', resolve, { once: true });
  });
  document.body.append(frame);
  await loaded;
  const { contentWindow: page, contentDocument } = frame;
  if (page === null || contentDocument === null) throw new Error('The frame has no page.');
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
