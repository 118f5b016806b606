import type { Chat } from './chat-fixture.ts';

/** A media query about the user or the device. */
type MediaFeature = '(pointer: coarse)' | '(prefers-contrast: more)' | '(prefers-reduced-motion: reduce)';

const alwaysTrue = '(min-width: 0px)';

/**
 * Makes a media query in a chat's style sheets match until the returned function is called, since not every engine can
 * emulate preferences. All chats of a page share their style sheets.
 */
export function forceMedia(chat: Chat, feature: MediaFeature): () => void {
  const changed: [MediaList, string][] = [];
  for (const sheet of chat.element.shadowRoot?.adoptedStyleSheets ?? [])
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSMediaRule) || !rule.media.mediaText.includes(feature)) continue;
      changed.push([rule.media, rule.media.mediaText]);
      rule.media.mediaText = rule.media.mediaText.replaceAll(feature, alwaysTrue);
    }
  return () => {
    for (const [media, text] of changed) media.mediaText = text;
  };
}
