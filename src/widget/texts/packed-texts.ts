import { textKeys } from './text-keys.ts';
import type { Plural, Texts } from './texts.ts';

/*
 * The built form of a language: its texts alone, a line each, in the order of `textKeys`. The names of the texts would
 * be a quarter of what a visitor loads. Sources keep the names; the build packs (see vite.config.ts).
 */

const forms: readonly Intl.LDMLPluralRule[] = ['zero', 'one', 'two', 'few', 'many', 'other'];

/** @throws when a text has a character that parts one text from the next */
export function pack(texts: Texts): string {
  const values: Readonly<Record<string, string | Plural | undefined>> = texts;
  return textKeys
    .map((key) => {
      const value = values[key] ?? '';
      const parts = typeof value === 'string' ? [value] : forms.map((form) => value[form] ?? '');
      const bad = parts.find((part) => /[|\n]/.test(part));
      if (bad !== undefined) throw new Error(`The text "${key}" must be one line without "|": ${bad}`);
      return parts.join('|');
    })
    .join('\n');
}

/** What {@link pack} packed. */
export function unpack(packed: string): Texts {
  const values = packed.split('\n').map((line) => {
    const parts = line.split('|');
    if (parts.length === 1) return line;
    const plural: Partial<Record<Intl.LDMLPluralRule, string>> = {};
    forms.forEach((form, index) => {
      if (parts[index]) plural[form] = parts[index];
    });
    return plural;
  });
  return Object.fromEntries(textKeys.map((key, index) => [key, values[index]])) as unknown as Texts;
}
