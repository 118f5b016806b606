import { loadModule } from '../load-module.ts';
import { en } from './en.ts';

/** A text for each plural form of a language; `other` replaces missing forms. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** Every text of a locale; a site may override each. {@link fill} replaces placeholders such as `{name}`. */
export type Texts = {
  readonly [Key in keyof typeof en]: (typeof en)[Key] extends string ? string : Plural;
};

export interface Locale {
  /** BCP 47, as in `de`. */
  readonly language: string;
  /** For formats of times and dates: the tag with the visitor's region, if one is known, and the language. */
  readonly formats: readonly string[];
  readonly direction: 'ltr' | 'rtl';
  readonly texts: Texts;
}

export const english: Locale = { language: 'en', formats: ['en'], direction: 'ltr', texts: en };

/**
 * Loads the first of `languages` that has texts. Resolves with English if there is none, and with undefined if it cannot be
 * loaded.
 */
export async function loadLocale(languages: readonly string[]): Promise<Locale | undefined> {
  for (const tag of languages) {
    if (/^en\b/i.test(tag)) return withFormats(english, languages);
    try {
      // The list of languages is a module of its own: most visitors never need it.
      const { loadTexts } = await loadModule(() => import('./locales.ts'));
      const locale = await loadTexts(tag, loadModule);
      if (locale) return withFormats(locale, languages);
    } catch {
      return undefined;
    }
  }
  return english;
}

/** The region is often known from the page or the browser alone, as in `en-GB`: assistants have a language only. */
function withFormats(locale: Locale, languages: readonly string[]): Locale {
  const [primary = ''] = locale.language.split('-');
  const regional = languages
    .flatMap((tag) => {
      try {
        return Intl.getCanonicalLocales(tag.replaceAll('_', '-'));
      } catch {
        // Attributes may contain anything.
        return [];
      }
    })
    // Not with a script, as in `sr-Latn-RS`: the texts may have another one.
    .find((tag) => new RegExp(`^${primary}-(?:[A-Z]{2}|\\d{3})\\b`).test(tag));
  return regional === undefined ? locale : { ...locale, formats: [regional, locale.language] };
}

/** Replaces placeholders such as `{name}` with the values of those names. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** Returns the plural form of a text for a number, by the rules of the language. */
export function plural(forms: Plural, count: number, language: string): string {
  return forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
}

/** Seconds as in `1:05`. */
export function durationText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
