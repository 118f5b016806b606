import { spokenText } from './spoken-text.ts';

/** A full stop after a single letter, a number or a short word may belong to it: `Dr.`, `z. B.`, `No. 5`. */
const abbreviation = /(?:^|[\s(.])(?:\p{L}{1,3}|\d+)\.\s*$/u;

/** A bracket that opens begins the next sentence; where no space stands between, engines leave it with the one before. */
const openings = /[\p{Ps}\p{Pi}]+$/u;

/** Remembers what was said of the answer under way, so that every sentence is said once, when it is whole. */
export class NewSentences {
  #answer: Element | undefined;
  /** How much was said, in letters and digits: unlike marks and white space they stay when the drawing changes. */
  #said = 0;

  /**
   * What to say now.
   *
   * @param answer the text of the answer, within its message
   */
  take(answer: Element, isComplete: boolean, language: string): string {
    const message = answer.parentElement as Element;
    if (message !== this.#answer) {
      this.#answer = message;
      this.#said = 0;
    }
    const all = sentencesOf(spokenText(answer), language);
    const whole = isComplete ? all : all.slice(0, -1);
    let end = 0;
    const fresh = whole.filter((sentence) => {
      end += lengthOf(sentence);
      // Of a sentence that was said in another form, the rest is not worth a second hearing.
      return end > this.#said && end - lengthOf(sentence) >= this.#said;
    });
    this.#said = Math.max(this.#said, end);
    return fresh.join('').trim();
  }
}

/** Sentences as the language ends them, and lines; the last may not be whole yet. */
export function sentencesOf(text: string, language: string): string[] {
  const segmenter = (Intl as { Segmenter?: typeof Intl.Segmenter }).Segmenter;
  const segments =
    segmenter === undefined
      ? (text.match(/[^.!?。！？\n]*[.!?。！？\n]*\s*/g) ?? [])
      : Array.from(
          new segmenter(language, { granularity: 'sentence' }).segment(text),
          ({ segment }) => segment,
        );
  const sentences: string[] = [];
  let opening = '';
  for (const each of segments) {
    const whole: string = opening + each;
    const segment = whole.replace(openings, '');
    opening = whole.slice(segment.length);
    const before = sentences.at(-1);
    if (before !== undefined && abbreviation.test(before))
      sentences.push(`${sentences.pop() ?? ''}${segment}`);
    else sentences.push(segment);
  }
  if (opening) sentences.push(opening);
  return sentences;
}

function lengthOf(text: string): number {
  return text.replace(/[^\p{L}\p{N}]/gu, '').length;
}
