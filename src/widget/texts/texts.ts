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
  /** For formats of times and dates: the wanted tag, whose region they depend on, and the language as the fallback. */
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
    if (/^en\b/i.test(tag)) return withFormats(english, tag);
    try {
      // The list of languages is a module of its own: most visitors never need it.
      const { loadTexts } = await loadModule(() => import('./locales.ts'));
      const locale = await loadTexts(tag, loadModule);
      if (locale) return withFormats(locale, tag);
    } catch {
      return undefined;
    }
  }
  return english;
}

function withFormats(locale: Locale, tag: string): Locale {
  try {
    const [wanted = ''] = Intl.getCanonicalLocales(tag.replaceAll('_', '-'));
    return { ...locale, formats: [wanted, locale.language] };
  } catch {
    // Attributes may contain anything.
    return locale;
  }
}

/** Replaces placeholders such as `{name}` with the values of those names. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** Returns the plural form of a text for a number, by the rules of the language. */
export function plural(forms: Plural, count: number, language: string): string {
  return forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
}
