import type { StoredFillers } from '../../db/assistants-table.ts';

/** Milliseconds without text from the model before a filler is said (`buffered-reply.ts`). */
export const fillerAfterMs = 1000;

type FillerKind = keyof StoredFillers;

const questionMark = /[?؟]\s*$/u;

/** First words of a question, since transcripts may lack punctuation: English, German, Arabic. */
const questionWords = words(
  'what when where who whose why how which can could do does did is are will would',
  'wer was wann wo wohin woher warum wieso weshalb wie welche welcher welches wieviel kann können könnten haben gibt',
  'ما ماذا متى أين من لماذا كيف هل كم',
);
const negativeWords = words(
  "no not never don't can't won't isn't didn't problem wrong bad broken unfortunately",
  'nein nicht nie kein keine keinen leider problem schlecht falsch kaputt',
  'لا ليس مشكلة للأسف خطأ',
);
const positiveWords = words(
  'yes yeah yep great good perfect nice thanks thank wonderful',
  'ja gern gerne gut super danke toll prima perfekt klar',
  'نعم شكرا شكراً ممتاز جيد تمام',
);

/**
 * Returns a filler that suits what the customer said, if there is one.
 *
 * @param turn selects one of several.
 */
export function chooseFiller(fillers: StoredFillers, said: string, turn: number): string | undefined {
  const suitable = fillers[kindOf(said)].filter(isText);
  const choice = suitable.length > 0 ? suitable : fillers.neutral.filter(isText);
  return choice[turn % Math.max(1, choice.length)];
}

function kindOf(said: string): FillerKind {
  const found = said.toLowerCase().match(/[\p{L}\p{M}'’]+/gu) ?? [];
  const spoken = found.map((word) => word.replace('’', "'"));
  if (questionMark.test(said) || questionWords.has(spoken[0] ?? '')) return 'question';
  if (spoken.some((word) => negativeWords.has(word))) return 'negative';
  return spoken.some((word) => positiveWords.has(word)) ? 'positive' : 'neutral';
}

function words(...languages: string[]): ReadonlySet<string> {
  return new Set(languages.flatMap((language) => language.split(' ')));
}

const isText = (filler: string) => filler.trim() !== '';
