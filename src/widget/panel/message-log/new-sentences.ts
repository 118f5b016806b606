import { textToReadAloud } from '../voice/text-to-read-aloud.ts';

/** A full stop after a single letter, a number or a short word may belong to it: `Dr.`, `z. B.`, `No. 5`. */
const abbreviation = /(?:^|[\s(.])(?:\p{L}{1,3}|\d{1,9})\.\s*$/u;

/** Longer than any match of `abbreviation`. */
const abbreviationLength = 40;

/**
 * An opening bracket belongs to the next sentence; without a space before it, segmenters attach it to the previous one.
 */
const opening = /[\p{Ps}\p{Pi}]/u;

/** Finds the sentences of a streaming answer that are complete and were not announced yet. */
export class NewSentences {
  #answer: Element | undefined;
  /** Number of announced letters and digits. Unlike syntax and white space, they are the same when rendered again. */
  #announced = 0;
  /** How many of the answer's first blocks were announced in full, and how many letters and digits they have. */
  #blocks = 0;
  #blocksLength = 0;

  /**
   * Returns the text to announce now.
   *
   * @param answer the text of the answer, within its message
   */
  take(answer: Element, isComplete: boolean, language: string): string {
    const message = answer.parentElement as Element;
    if (message !== this.#answer) {
      this.#answer = message;
      this.#announced = 0;
      this.#blocks = this.#blocksLength = 0;
    }
    // The complete answer may be rendered differently.
    if (isComplete) this.#blocks = this.#blocksLength = 0;
    const text = textToReadAloud(answer, this.#blocks);
    // Most answers are announced at once. The first segmenter of a page takes as long as its first format of a time.
    if (isComplete && this.#announced === 0) {
      this.#announced = lengthOf(text);
      return text.trim();
    }
    const all = sentencesOf(text, language);
    const complete = isComplete ? all : all.slice(0, -1);
    let end = this.#blocksLength;
    const unannounced = complete.filter((sentence) => {
      const start = end;
      end += lengthOf(sentence);
      // A sentence that was partly announced in another form is not announced again.
      return end > this.#announced && start >= this.#announced;
    });
    this.#announced = Math.max(this.#announced, end);
    this.#skipBlocks(answer);
    return unannounced.join('').trim();
  }

  /** Skips announced blocks from now on, so that each call costs the same in a long answer as in a short one. */
  #skipBlocks({ children }: Element): void {
    for (const block of [...children].slice(this.#blocks, -1)) {
      const length = this.#blocksLength + lengthOf(textToReadAloud(block));
      if (length > this.#announced) return;
      this.#blocks++;
      this.#blocksLength = length;
    }
  }
}

/** Splits a text into sentences; line breaks also end them. The last one may be incomplete. */
export function sentencesOf(text: string, language: string): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  const sentences: string[] = [];
  let brackets = '';
  for (const each of segmenter.segment(text)) {
    const whole = brackets + each.segment;
    const segment = withoutOpenings(whole);
    brackets = whole.slice(segment.length);
    if (abbreviation.test(sentences.at(-1)?.slice(-abbreviationLength) ?? ''))
      sentences.push(`${sentences.pop() ?? ''}${segment}`);
    else sentences.push(segment);
  }
  if (brackets) sentences.push(brackets);
  return sentences;
}

function withoutOpenings(text: string): string {
  let end = text.length;
  while (end > 0 && opening.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

function lengthOf(text: string): number {
  return text.replace(/[^\p{L}\p{N}]/gu, '').length;
}
