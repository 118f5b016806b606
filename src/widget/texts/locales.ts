import { textDirection } from './text-direction.ts';
import type { Locale, Texts } from './texts.ts';

type Load = () => Promise<{ readonly default: Texts }>;

/** Every language besides English, each loaded on demand. */
const loaders: Readonly<Record<string, Load>> = {
  af: () => import('./locales/af.ts'),
  ar: () => import('./locales/ar.ts'),
  az: () => import('./locales/az.ts'),
  be: () => import('./locales/be.ts'),
  bg: () => import('./locales/bg.ts'),
  bn: () => import('./locales/bn.ts'),
  bs: () => import('./locales/bs.ts'),
  ca: () => import('./locales/ca.ts'),
  cs: () => import('./locales/cs.ts'),
  da: () => import('./locales/da.ts'),
  de: () => import('./locales/de.ts'),
  el: () => import('./locales/el.ts'),
  es: () => import('./locales/es.ts'),
  et: () => import('./locales/et.ts'),
  eu: () => import('./locales/eu.ts'),
  fa: () => import('./locales/fa.ts'),
  fi: () => import('./locales/fi.ts'),
  fil: () => import('./locales/fil.ts'),
  fr: () => import('./locales/fr.ts'),
  gl: () => import('./locales/gl.ts'),
  gu: () => import('./locales/gu.ts'),
  he: () => import('./locales/he.ts'),
  hi: () => import('./locales/hi.ts'),
  hr: () => import('./locales/hr.ts'),
  hu: () => import('./locales/hu.ts'),
  hy: () => import('./locales/hy.ts'),
  id: () => import('./locales/id.ts'),
  is: () => import('./locales/is.ts'),
  it: () => import('./locales/it.ts'),
  ja: () => import('./locales/ja.ts'),
  ka: () => import('./locales/ka.ts'),
  kk: () => import('./locales/kk.ts'),
  kn: () => import('./locales/kn.ts'),
  ko: () => import('./locales/ko.ts'),
  lt: () => import('./locales/lt.ts'),
  lv: () => import('./locales/lv.ts'),
  mk: () => import('./locales/mk.ts'),
  ml: () => import('./locales/ml.ts'),
  mr: () => import('./locales/mr.ts'),
  ms: () => import('./locales/ms.ts'),
  nb: () => import('./locales/nb.ts'),
  nl: () => import('./locales/nl.ts'),
  pa: () => import('./locales/pa.ts'),
  pl: () => import('./locales/pl.ts'),
  pt: () => import('./locales/pt.ts'),
  'pt-br': () => import('./locales/pt-br.ts'),
  ro: () => import('./locales/ro.ts'),
  ru: () => import('./locales/ru.ts'),
  sk: () => import('./locales/sk.ts'),
  sl: () => import('./locales/sl.ts'),
  sq: () => import('./locales/sq.ts'),
  sr: () => import('./locales/sr.ts'),
  sv: () => import('./locales/sv.ts'),
  sw: () => import('./locales/sw.ts'),
  ta: () => import('./locales/ta.ts'),
  te: () => import('./locales/te.ts'),
  th: () => import('./locales/th.ts'),
  tr: () => import('./locales/tr.ts'),
  uk: () => import('./locales/uk.ts'),
  ur: () => import('./locales/ur.ts'),
  vi: () => import('./locales/vi.ts'),
  zh: () => import('./locales/zh.ts'),
  'zh-tw': () => import('./locales/zh-tw.ts'),
};

export const languages: readonly string[] = Object.keys(loaders);

/** Other tags for the same language: old ones, and the closest match for languages without texts. */
const aliases: Readonly<Record<string, string>> = {
  in: 'id',
  iw: 'he',
  mo: 'ro',
  nn: 'nb',
  no: 'nb',
  prs: 'fa',
  sh: 'hr',
  tl: 'fil',
  yue: 'zh-tw',
  'zh-hant': 'zh-tw',
  'zh-hk': 'zh-tw',
  'zh-mo': 'zh-tw',
};

/**
 * Loads the texts for a language tag such as `pt-BR`: those of the exact tag, else of its language. Resolves with
 * undefined if there are none.
 *
 * @param loadModule runs the dynamic import; by default without retries, so that the shell needs no further file
 * @throws the error of the import, if it fails
 */
export async function loadTexts(
  tag: string,
  loadModule = (load: Load) => load(),
): Promise<Locale | undefined> {
  const parts = tag.toLowerCase().split(/[-_]/);
  for (; parts.length > 0; parts.pop()) {
    const name = parts.join('-');
    const language = Object.hasOwn(aliases, name) ? aliases[name] : name;
    if (language === undefined || !Object.hasOwn(loaders, language)) continue;
    const { default: loaded } = await loadModule(loaders[language] as Load);
    return {
      language,
      formats: [language],
      direction: textDirection(language),
      texts: loaded,
    };
  }
  return undefined;
}
