import type { VoiceAssistantChat } from './voice-assistant-chat.ts';
import { warnOnce } from './warn-once.ts';

/**
 * Inserts the chat of a snippet, beside the body, so that routers that replace the body (Turbo, htmx, view transitions)
 * keep it. If there is a chat with the same assistant already, as after such a replacement, that one stays and gets the
 * new attributes. A tag in the body is replaced with the body; the new element restores its conversation from storage.
 *
 * @returns the chat that is in the page
 */
export function insertOrKeep(
  created: VoiceAssistantChat,
  script: HTMLScriptElement | null,
): VoiceAssistantChat {
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
    else document.documentElement.append(chat);
  }
  return chat;
}

/** The scripts of a chat's assistant that are in the document. */
function snippetsOf({ assistantId }: VoiceAssistantChat): HTMLScriptElement[] {
  return [...document.scripts].filter((script) =>
    [...script.attributes].some(({ value }) => value.includes(assistantId ?? '')),
  );
}
