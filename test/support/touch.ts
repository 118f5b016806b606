import type { Chat } from './chat-fixture.ts';

const asked = '(pointer: coarse)';
const always = '(min-width: 0px)';

/**
 * Makes a chat take every pointer for a finger, or no longer: no engine lets a test choose that while it runs, so the
 * styles' own questions are answered with yes. Style sheets are shared by all chats of a page.
 */
export function touch(chat: Chat, isTouched: boolean): void {
  const [from, to] = isTouched ? [asked, always] : [always, asked];
  for (const sheet of chat.element.shadowRoot?.adoptedStyleSheets ?? [])
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSMediaRule) rule.media.mediaText = rule.media.mediaText.replaceAll(from, to);
}
