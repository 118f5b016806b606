import type { VoiceAssistantChat } from '../voice-assistant-chat.ts';

/**
 * “Dismiss” in the language of the teaser, which is the site's: without the panel, which may never be needed. Of the
 * texts it takes only those of one language.
 */
export async function dismissLabel(element: VoiceAssistantChat): Promise<string> {
  const own = element.messages?.dismiss;
  if (own) return own;
  const { lang } = element.closest<HTMLElement>('[lang]') ?? document.documentElement;
  const tag = lang || navigator.language;
  try {
    if (!/^en\b/i.test(tag)) {
      const locale = await (await import('../texts/locales.ts')).loadTexts(tag);
      if (locale?.texts.dismiss) return locale.texts.dismiss;
    }
    return (await import('../texts/en-late.ts')).enLate.dismiss;
  } catch {
    return '×'; // What the button shows: better than no name.
  }
}
