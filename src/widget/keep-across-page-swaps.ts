import { attributesOf } from './script-attributes.ts';
import type { VoiceAssistantChat } from './voice-assistant-chat.ts';
import { warnOnce } from './warn-once.ts';

/** The chat of a snippet. */
export interface SnippetChat extends VoiceAssistantChat {
  /** The latest script that has set its attributes. */
  script?: HTMLScriptElement | null;
}

/**
 * Inserts the chat of a snippet: after a script with `data-inline`, otherwise beside the body, so that routers that replace
 * the body (Turbo, htmx, view transitions) keep it. If there is a chat with the same assistant already, as after such a
 * replacement, that one stays, and the new attributes replace those of the previous script. A tag in the body is replaced
 * with the body; the new element restores its conversation from storage.
 *
 * @returns the chat that is in the page
 */
export function insertOrKeep(created: SnippetChat, script: HTMLScriptElement | null): SnippetChat {
  const place = created.inline && document.body.contains(script) ? script : null;
  if (created.inline && !place) {
    created.inline = false;
    warnOnce(
      'data-inline needs its script to be in the body, where the chat is to appear, so the chat floats.',
    );
  }
  const name = created.localName;
  // The script of an earlier page, which has loaded late: the chats of this page keep their scripts.
  if (script?.isConnected === false)
    for (const chat of document.querySelectorAll<SnippetChat>(name))
      if (chat.assistantId === created.assistantId && chat.script?.isConnected) return chat;
  const others = document.querySelectorAll<SnippetChat>(
    place ? `html > ${name}, ${name}[inline]` : `html > ${name}`,
  );
  let chat = created;
  for (const other of others) {
    const snippets = snippetsOf(other);
    const isFloating = other.parentNode === document.documentElement;
    if (other.assistantId !== created.assistantId) {
      if (snippets.length === 0 && isFloating) other.remove();
      continue;
    }
    // Its script wants it to float, so the box gets a chat of its own.
    if (place && isFloating && other.script?.isConnected) continue;
    // The box has a copy that a router restored with an earlier page.
    if (chat !== created) {
      other.remove();
      continue;
    }
    if (snippets.length > 1)
      warnOnce(`This page has the script of the assistant ${other.assistantId} twice. Remove one.`);
    // Attributes that the page has set stay, as do those of a second script on the same page.
    if (!other.script?.isConnected)
      for (const [name] of attributesOf(other.script))
        if (name !== 'open' && !created.hasAttribute(name)) other.removeAttribute(name);
    // A panel that the visitor has closed stays closed.
    for (const { name, value } of created.attributes) if (name !== 'open') other.setAttribute(name, value);
    chat = other;
  }
  if (!place) {
    if (!chat.isConnected) document.documentElement.append(chat);
  } else if (!chat.isConnected || chat.parentNode === document.documentElement) place.after(chat);
  chat.script = script;
  return chat;
}

/** The scripts of a chat's assistant that are in the document. */
function snippetsOf({ assistantId }: VoiceAssistantChat): HTMLScriptElement[] {
  return [...document.scripts].filter((script) =>
    [...script.attributes].some(({ value }) => assistantId && value.includes(assistantId)),
  );
}
