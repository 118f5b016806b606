import { en } from './en.ts';
import type { enLate } from './en-late.ts';

type Values<Source> = { readonly [Key in keyof Source]: Source[Key] extends string ? string : Plural };

/** A text for each plural form of a language; `other` stands for those that are not there. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** The texts that the panel needs at once. `{name}` and the like are filled in by {@link fill}. */
export type CoreTexts = Values<typeof en>;

/** The texts of the parts that load later. */
export type LateTexts = Values<typeof enLate>;

/** Every text: what a locale has, and what a site may override. */
export type Texts = CoreTexts & LateTexts;

export interface Locale {
  /** BCP 47, as in `de`. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  /** English comes in two pieces, the others whole; late parts read them by `allTexts`. */
  readonly texts: CoreTexts & Partial<LateTexts>;
}

export const english: Locale = { language: 'en', direction: 'ltr', texts: en };

/** The first of `languages` that there are texts for; English if there are none or they cannot be loaded. */
export async function loadLocale(languages: readonly string[]): Promise<Locale> {
  for (const tag of languages) {
    if (/^en\b/i.test(tag)) break;
    try {
      // Which other languages there are is known by a part of its own: most visitors never need the list.
      const locale = await (await import('./locales.ts')).loadTexts(tag);
      if (locale) return locale;
    } catch {
      break; // Better English than no chat.
    }
  }
  return english;
}

/** Fills `{name}` with the value of that name. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
