/** The voices of the installed program espeak-ng. */
export interface EspeakVoices {
  /** Codes of languages and their accents, such as `de` or `en-gb-scotland`. */
  languages: ReadonlySet<string>;
  /** Variants, which change the sound of any language, such as `f3` or `Annie`. */
  variants: ReadonlySet<string>;
}

/** The assistant's voice. */
export interface WantedVoice {
  /** Its name at the provider. */
  voice?: string | undefined;
  gender?: string | undefined;
  accent?: string | undefined;
}

/** Languages that the program lists under another code. */
const names: Readonly<Record<string, string>> = {
  zh: 'cmn',
  no: 'nb',
  en: 'en-us',
  fr: 'fr-fr',
  pt: 'pt-br',
};

/** The voice of an accent, by words in its name. */
const accents: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  en: [
    [/scot/i, 'en-gb-scotland'],
    [/caribbean/i, 'en-029'],
    [/brit|england|\buk\b/i, 'en-gb'],
  ],
  es: [[/latin|mexic|argentin|colombi/i, 'es-419']],
  fr: [
    [/belgi/i, 'fr-be'],
    [/swiss/i, 'fr-ch'],
  ],
  pt: [[/portug|europe/i, 'pt']],
};

/** The base voices are male. */
const femaleVariant = 'f3';

/** Reads the output of `--voices` and of `--voices=variant`. */
export function readEspeakVoices(languages: string, variants: string): EspeakVoices {
  const lines = languages.split('\n').slice(1);
  return {
    languages: new Set(lines.map((line) => line.trim().split(/\s+/)[1] ?? '').filter(Boolean)),
    variants: new Set(Array.from(variants.matchAll(/ !v\/(\S+) *$/gm), ([, name = '']) => name)),
  };
}

/** Returns whether the name is a variant, or the language in an accent, such as `en-gb` or `en-gb+f3`. */
export function hasEspeakVoice(voices: EspeakVoices, name: string, language: string): boolean {
  const [first = '', variant] = name.split('+');
  if (variant === undefined && voices.variants.has(first)) return true;
  const isOfLanguage = first === baseOf(voices, language, undefined) || first.split('-')[0] === language;
  return (
    isOfLanguage && voices.languages.has(first) && (variant === undefined || voices.variants.has(variant))
  );
}

/** Returns the voice to use: the named one, otherwise one with the gender and accent; undefined if there is none. */
export function chooseEspeakVoice(
  voices: EspeakVoices,
  language: string,
  { voice, gender, accent }: WantedVoice,
): string | undefined {
  const base = baseOf(voices, language, accent);
  if (base === undefined) return undefined;
  if (voice !== undefined && hasEspeakVoice(voices, voice, language)) {
    return voices.variants.has(voice) ? `${base}+${voice}` : voice;
  }
  return gender === 'female' && voices.variants.has(femaleVariant) ? `${base}+${femaleVariant}` : base;
}

function baseOf({ languages }: EspeakVoices, language: string, accent = ''): string | undefined {
  const ofAccent = accents[language]?.find(([pattern]) => pattern.test(accent))?.[1];
  return [ofAccent, names[language], language].find((name) => name !== undefined && languages.has(name));
}
