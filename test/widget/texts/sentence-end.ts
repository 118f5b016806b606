export type SentenceEnd = 'statement' | 'question' | 'unfinished' | 'none';

const ends: readonly (readonly [RegExp, SentenceEnd])[] = [
  [/…$/, 'unfinished'],
  // Armenian marks a question inside its word and ends it as any sentence; Greek has a sign that looks like a semicolon.
  [/[?？؟]$|՞.*։$|\p{Script=Greek}.*;$/u, 'question'],
  [/[.。।۔։]$/, 'statement'],
];

/** How a text ends, whatever the signs of its language are. Thai ends sentences without a sign. */
export function sentenceEnd(text: string, language: string): SentenceEnd {
  const end = ends.find(([sign]) => sign.test(text))?.[1] ?? 'none';
  return language === 'th' && end !== 'unfinished' ? 'none' : end;
}
