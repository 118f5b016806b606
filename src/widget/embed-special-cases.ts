import { insertOrKeep } from './keep-across-page-swaps.ts';
import { attributesOf } from './script-attributes.ts';
import type { VoiceAssistantChat } from './voice-assistant-chat.ts';

/* What `embed.js` needs on some pages only. */

/** A function that receives the chat. */
export type QueuedCall = (chat: VoiceAssistantChat) => void;

declare global {
  /** Calls that the page makes before the script has loaded. Afterwards, `push` makes them in microtasks. */
  var voiceAssistantChat: { push: (...calls: QueuedCall[]) => unknown } | undefined;
}

/** Calls that a page may queue; further ones are dropped. */
const maxCalls = 100;

/** Puts the chat of a snippet into the page, and makes the queued calls. */
export function embed(created: VoiceAssistantChat, script: HTMLScriptElement | null): void {
  const { observedAttributes } = created.constructor as typeof VoiceAssistantChat;
  for (const [name, value] of attributesOf(script))
    if (observedAttributes.includes(name)) created.setAttribute(name, value);
  const insert = (): void => {
    // A router has swapped the page with the box since the script ran.
    if (created.inline && script?.isConnected === false) return;
    runCalls(insertOrKeep(created, script));
  };
  if (document.body as HTMLElement | null) insert();
  else addEventListener('DOMContentLoaded', insert);
}

/** Makes the queued calls, and from now on those that the page makes, with the chat. */
function runCalls(chat: VoiceAssistantChat): void {
  const queue: unknown = globalThis.voiceAssistantChat;
  const push = (...calls: QueuedCall[]): void => {
    for (const call of calls)
      // An error in a call must not prevent the next ones.
      queueMicrotask(() => {
        call(chat);
      });
  };
  globalThis.voiceAssistantChat = { push };
  if (Array.isArray(queue)) push(...(queue as QueuedCall[]).slice(0, maxCalls));
}
