import type { Locale, Texts } from './texts.ts';

/** Every language besides English, each loaded when it is needed. */
const loaders: Readonly<Record<string, () => Promise<{ readonly default: Texts }>>> = {
  ar: () => import('./locales/ar.ts'),
  de: () => import('./locales/de.ts'),
};

export const languages: readonly string[] = Object.keys(loaders);

/**
 * The texts for a language tag such as `pt-BR`: of the tag as it is, else of its language alone.
 *
 * @throws when they cannot be loaded
 */
export async function loadTexts(tag: string): Promise<Locale | undefined> {
  const parts = tag.toLowerCase().split(/[-_]/);
  for (; parts.length > 0; parts.pop()) {
    const language = parts.join('-');
    const load = Object.hasOwn(loaders, language) ? loaders[language] : undefined;
    if (load === undefined) continue;
    const { default: texts } = await load();
    return { language, direction: rightToLeft.has(language) ? 'rtl' : 'ltr', texts };
  }
  return undefined;
}

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur']);
