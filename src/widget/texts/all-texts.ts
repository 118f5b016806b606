import { enLate } from './en-late.ts';
import type { Locale, Plural, Texts } from './texts.ts';

/** Every text of a locale, for the parts that load later. */
export function allTexts({ texts }: Locale): Texts {
  return { ...enLate, ...texts };
}

/** The form of a text that goes with a number, by the rules of its language. */
export function plural(forms: Plural, count: number, language: string): string {
  return forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
}
