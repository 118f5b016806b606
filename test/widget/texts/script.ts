/** The script that a language is usually written in, as its four letters of ISO 15924. */
export function scriptOf(language: string): string {
  return new Intl.Locale(language).maximize().script ?? '';
}

/** Scripts that consist of several others. */
const parts: Readonly<Record<string, readonly string[]>> = {
  Hans: ['Hani'],
  Hant: ['Hani'],
  Jpan: ['Hani', 'Hira', 'Kana'],
  Kore: ['Hang'],
};

/** The letters of a text that are not of its language's script. */
export function lettersOfOtherScripts(text: string, language: string): string {
  const script = scriptOf(language);
  const own = (parts[script] ?? [script]).map((name) => `\\p{Script_Extensions=${name}}`).join('');
  return text.replace(new RegExp(`[${own}]|\\P{L}`, 'gu'), '');
}
