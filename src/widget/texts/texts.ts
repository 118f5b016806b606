import { loadModule } from '../load-module.ts';
import { en } from './en.ts';

/** A text for each plural form of a language; `other` stands for the forms that are missing. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** Every text: what a locale has, and what a site may override. {@link fill} fills in `{name}` and the like. */
export type Texts = {
  readonly [Key in keyof typeof en]: (typeof en)[Key] extends string ? string : Plural;
};

export interface Locale {
  /** BCP 47, as in `de`. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly texts: Texts;
}

export const english: Locale = { language: 'en', direction: 'ltr', texts: en };

/** The first of `languages` with texts; English if there is none or it cannot be loaded. */
export async function loadLocale(languages: readonly string[]): Promise<Locale> {
  for (const tag of languages) {
    if (/^en\b/i.test(tag)) break;
    try {
      // The list of languages is a module of its own: most visitors never need it.
      const { loadTexts } = await loadModule(() => import('./locales.ts'));
      const locale = await loadTexts(tag, loadModule);
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

/** The form of a text that goes with a number, by the rules of its language. */
export function plural(forms: Plural, count: number, language: string): string {
  return forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
}
