export type SentenceEnd = 'statement' | 'question' | 'unfinished' | 'none';

const ends: readonly (readonly [RegExp, SentenceEnd])[] = [
  [/…$/, 'unfinished'],
  // Armenian marks a question inside its word and ends it as any sentence; Greek has a sign that looks like a semicolon.
  [/[?？؟]$|՞.*։$|\p{Script=Greek}.*;$/u, 'question'],
  [/[.。।۔։]$/, 'statement'],
];

/** Returns how a text ends, in the punctuation of any language. Thai has none at the end of sentences. */
export function sentenceEnd(text: string, language: string): SentenceEnd {
  const end = ends.find(([sign]) => sign.test(text))?.[1] ?? 'none';
  return language === 'th' && end !== 'unfinished' ? 'none' : end;
}
