import { warnOnce } from './warn-once.ts';
import type { VoiceAssistantChat } from './voice-assistant-chat.ts';

/* What `embed.js` needs on some pages only. */

/** A function that receives the chat. */
export type QueuedCall = (chat: VoiceAssistantChat) => void;

declare global {
  /** Calls that the page makes before the script has loaded. Afterwards, `push` makes them at once. */
  var voiceAssistantChat: { push: (call: QueuedCall) => unknown } | undefined;
}

/** Calls that a page may queue; further ones are dropped. */
const maxCalls = 100;

/** The attribute names of other vendors' snippets. */
const otherNames: Readonly<Record<string, string>> = {
  'header-title': 'heading',
  'header-subtitle': 'subheading',
  'button-main-text': 'launcher-label',
  'button-sub-text': 'launcher-sublabel',
};

/**
 * Puts the chat of a snippet into the page, and makes the queued calls. If there is a chat with the same assistant, as
 * after a router has replaced the body, that one stays and gets the new attributes.
 *
 * @param query the query of the script's URL, whose parameters are attributes
 */
export function embed(created: VoiceAssistantChat, script: HTMLScriptElement | null, query = ''): void {
  const { observedAttributes } = created.constructor as typeof VoiceAssistantChat;
  const dataset = [...(script?.attributes ?? [])].flatMap(({ name, value }) =>
    name.startsWith('data-') ? [[name.slice('data-'.length), value] as const] : [],
  );
  for (const [given, value] of [...new URLSearchParams(query), ...dataset]) {
    const name = otherNames[given] ?? given;
    if (observedAttributes.includes(name)) created.setAttribute(name, value);
  }
  if (document.body as HTMLElement | null) insert(created, script);
  else
    addEventListener('DOMContentLoaded', () => {
      insert(created, script);
    });
}

function insert(created: VoiceAssistantChat, script: HTMLScriptElement | null): void {
  const place = created.inline && document.body.contains(script) ? script : null;
  if (created.inline && !place) {
    created.inline = false;
    warnOnce(
      'data-inline needs its script to be in the body, where the chat is to appear, so the chat floats.',
    );
  }
  const name = created.localName;
  const others = document.querySelectorAll<VoiceAssistantChat>(
    place ? `html > ${name}, ${name}[inline]` : `html > ${name}`,
  );
  let chat = created;
  for (const other of others) {
    const snippets = snippetsOf(other);
    if (other.assistantId === created.assistantId) {
      if (snippets.length > 1)
        warnOnce(`This page has the script of the assistant ${other.assistantId} twice. Remove one.`);
      // A panel that the visitor has closed stays closed.
      for (const { name, value } of created.attributes) if (name !== 'open') other.setAttribute(name, value);
      chat = other;
    } else if (snippets.length === 0 && other.parentNode === document.documentElement) other.remove();
  }
  if (chat === created) {
    if (place) place.after(chat);
    // Beside the body, so that routers that replace it keep the chat.
    else document.documentElement.append(chat);
  }
  const queue: unknown = globalThis.voiceAssistantChat;
  const push = (...calls: readonly QueuedCall[]): void => {
    for (const call of calls)
      // An error in a call must not prevent the next ones.
      queueMicrotask(() => {
        call(chat);
      });
  };
  globalThis.voiceAssistantChat = { push };
  if (Array.isArray(queue)) push(...(queue as QueuedCall[]).slice(0, maxCalls));
}

/** The scripts of a chat's assistant that are in the document. */
function snippetsOf({ assistantId }: VoiceAssistantChat): HTMLScriptElement[] {
  return [...document.scripts].filter((script) =>
    [...script.attributes].some(({ value }) => value.includes(assistantId ?? '')),
  );
}
