import type { VoiceAssistantChat } from './voice-assistant-chat.ts';
import { warnOnce } from './warn-once.ts';

/** The chat of a snippet. */
export interface SnippetChat extends VoiceAssistantChat {
  /** The latest script that has set its attributes. */
  script?: HTMLScriptElement | null;
}

/** The attribute names of other vendors' snippets. */
const otherNames: Readonly<Record<string, string>> = {
  'header-title': 'heading',
  'header-subtitle': 'subheading',
  'button-main-text': 'launcher-label',
  'button-sub-text': 'launcher-sublabel',
};

/** Returns the attributes that a script sets on its chat: the parameters of its URL, and its `data-` attributes. */
export function attributesOf(script: HTMLScriptElement | null | undefined): [name: string, value: string][] {
  const dataset = [...(script?.attributes ?? [])].flatMap(({ name, value }) =>
    name.startsWith('data-') ? [[name.slice('data-'.length), value] as const] : [],
  );
  const given = [...new URLSearchParams(script?.src.split('?')[1]), ...dataset];
  return given.map(([name, value]) => [otherNames[name] ?? name, value]);
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
  // A panel that the visitor has closed stays closed.
  const given = [...created.attributes].filter(({ name }) => name !== 'open');
  let chat = created;
  for (const other of document.querySelectorAll<SnippetChat>(`html > ${name}, ${name}[inline]`)) {
    const snippets = snippetsOf(other);
    const isBesideBody = other.parentNode === document.documentElement;
    const isCurrent = other.script?.isConnected;
    if (other.assistantId !== created.assistantId) {
      if (snippets.length === 0 && isBesideBody) other.remove();
      continue;
    }
    // An element that the page has put into a box itself is not the chat of a script that floats.
    if (!place && !isBesideBody && !isCurrent) continue;
    if (snippets.length > 1)
      warnOnce(`This page has the script of the assistant ${other.assistantId} twice. Remove one.`);
    if (place && isBesideBody && isCurrent) floatAfterwards(other, given);
    // Attributes that the page has set stay, as do those of a second script on the same page.
    if (!isCurrent)
      for (const [name] of attributesOf(other.script))
        if (name !== 'open' && !created.hasAttribute(name)) other.removeAttribute(name);
    for (const { name, value } of given) other.setAttribute(name, value);
    chat = other;
  }
  const isInBox = chat.isConnected && chat.parentNode !== document.documentElement;
  if (place && !isInBox) place.after(chat);
  else if (!chat.isConnected) document.documentElement.append(chat);
  if (place || !isInBox) chat.script = script;
  return chat;
}

/**
 * Lets a chat float again when the box that it moves to has been removed, if the script that lets it float is still in the
 * page: a router does not run it again.
 *
 * @param changed the attributes that the script in the box sets
 */
function floatAfterwards(chat: SnippetChat, changed: readonly Attr[]): void {
  const { script } = chat;
  const before = changed.map(({ name }) => [name, chat.getAttribute(name)] as const);
  new MutationObserver((_, observer) => {
    if (chat.isConnected) return;
    observer.disconnect();
    if (!script?.isConnected) return;
    for (const [name, value] of before)
      if (value === null) chat.removeAttribute(name);
      else chat.setAttribute(name, value);
    chat.script = script;
    document.documentElement.append(chat);
  }).observe(document, { childList: true, subtree: true });
}

/** The scripts of a chat's assistant that are in the document. */
function snippetsOf({ assistantId }: VoiceAssistantChat): HTMLScriptElement[] {
  return [...document.scripts].filter((script) =>
    [...script.attributes].some(({ value }) => value.includes(assistantId ?? '')),
  );
}
