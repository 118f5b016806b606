import { warnOnce } from '../warn-once.ts';
import { en } from './en.ts';
import type { Locale, Plural, Texts } from './texts.ts';

/** The maximum length of a site's own text, in characters. */
const maxLength = 1000;

/**
 * Overrides a language's texts with the site's own. Unknown keys and invalid values are ignored, and the console
 * warns about them.
 *
 * @param messages the site's texts, unchecked
 */
export function withOwnTexts(locale: Locale, messages: unknown): Locale {
  const known: Readonly<Record<string, string | Plural>> = en;
  const own: Record<string, string | Plural> = {};
  for (const [key, value] of Object.entries({ ...(messages as Partial<Texts>) } as Record<string, unknown>)) {
    const text = Object.hasOwn(known, key) ? textFrom(value, known[key]) : undefined;
    if (text === undefined) {
      warnOnce(
        `messages.${key}: ${Object.hasOwn(known, key) ? `use a text of 1 to ${maxLength} characters` : 'there is no such text'}.`,
      );
    } else own[key] = text;
  }
  return { ...locale, texts: { ...locale.texts, ...own } };
}

/** Returns the text if it is valid. A plural may be one text for all numbers, or one for each plural form. */
function textFrom(value: unknown, original: string | Plural | undefined): string | Plural | undefined {
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && text.trim() !== '' && text.length <= maxLength;
  if (typeof original === 'string') return isText(value) ? value : undefined;
  if (isText(value)) return { other: value };
  const forms = Object.entries({ ...(value as object | undefined) });
  const isPlural = forms.length > 0 && forms.every(([, text]) => isText(text));
  return isPlural && typeof (value as Plural).other === 'string' ? (value as Plural) : undefined;
}
