import type { Chat } from './chat-fixture.ts';

/** A question of the styles about the person or the device. */
type MediaFeature = '(pointer: coarse)' | '(prefers-contrast: more)' | '(prefers-reduced-motion: reduce)';

const yes = '(min-width: 0px)';

/**
 * Answers a question of a chat's styles with yes, until the returned function is called: not every engine lets a test
 * choose what a person prefers. Style sheets are shared by all chats of a page.
 */
export function answerMedia(chat: Chat, feature: MediaFeature): () => void {
  const answered: [MediaList, string][] = [];
  for (const sheet of chat.element.shadowRoot?.adoptedStyleSheets ?? [])
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSMediaRule) || !rule.media.mediaText.includes(feature)) continue;
      answered.push([rule.media, rule.media.mediaText]);
      rule.media.mediaText = rule.media.mediaText.replaceAll(feature, yes);
    }
  return () => {
    for (const [media, text] of answered) media.mediaText = text;
  };
}
