import { en } from './en.ts';

/** Every text of the panel. `{name}` and the like are filled in by {@link fill}. */
export type Texts = { readonly [key in keyof typeof en]: string };

/** Languages besides English, each loaded when it is needed. */
const loaders: Readonly<Record<string, () => Promise<Texts>>> = {
  ar: async () => (await import('./ar.ts')).ar,
  de: async () => (await import('./de.ts')).de,
};

export interface Locale {
  /** BCP 47, as in `de`. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly texts: Texts;
}

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur']);

/** Loads the first of `languages` that there are texts for; English if there are none or they cannot be loaded. */
export async function loadLocale(languages: readonly string[]): Promise<Locale> {
  for (const tag of languages) {
    const language = tag.toLowerCase().split('-')[0] ?? '';
    if (language === 'en') break;
    const load = loaders[language];
    if (load === undefined) continue;
    try {
      const direction = rightToLeft.has(language) ? 'rtl' : 'ltr';
      return { language, direction, texts: await load() };
    } catch {
      break; // Better English than no chat.
    }
  }
  return english;
}

export const english: Locale = { language: 'en', direction: 'ltr', texts: en };

/** Fills `{name}` with the value of that name. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
