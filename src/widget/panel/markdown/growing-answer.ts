import type { Token } from 'marked';
import { closeOpenMarkup } from './close-open-markup.ts';
import { lexBlocks, lexMarkdown } from './lex-markdown.ts';
import { mayBeReplies } from './suggested-replies.ts';

/**
 * An open block of up to this many characters is lexed whenever it has grown, a longer one when it has grown by 1/32.
 */
const alwaysLexed = 1000;

/**
 * Lexes an answer while it streams. Blocks that later text cannot change are lexed once and keep their tokens; only the
 * last block is lexed again, so the total time is linear.
 */
export class GrowingAnswer {
  readonly #finished: Token[] = [];
  #finishedLength = 0;
  #lexedLength = 0;
  /** Undefined if the lexer failed. */
  #blocks: readonly Token[] | undefined = [];

  /** Whether `text` continues the same answer, judged by its last finished block. */
  continues(text: string): boolean {
    const raw = this.#finished.at(-1)?.raw ?? '';
    return text.length >= this.#lexedLength && text.startsWith(raw, this.#finishedLength - raw.length);
  }

  /**
   * Returns the blocks of the answer so far, with its open markup closed. Returns the same array if the
   * blocks have not changed.
   *
   * @throws {RangeError} if the text is too complex
   */
  lex(text: string): readonly Token[] | undefined {
    const growth = text.length - this.#lexedLength;
    const rest = text.slice(this.#finishedLength);
    if (growth === 0 || growth < (rest.length - alwaysLexed) / 32) return this.#blocks;
    this.#lexedLength = text.length;
    this.#blocks = undefined;
    // A later line can still continue the last block, even across blank lines (a list), but no earlier block.
    const blocks = lexBlocks(rest);
    const last = lastBlockIndex(blocks);
    const length = blocks.slice(0, last).reduce((sum, { raw }) => sum + raw.length, 0);
    if (length > 0) this.#finished.push(...lexMarkdown(rest.slice(0, length)));
    this.#finishedLength += length;
    const raw = blocks[last]?.raw ?? '';
    this.#blocks = [...this.#finished, ...(mayBeReplies(raw) ? [] : lexMarkdown(closeOpenMarkup(raw)))];
    return this.#blocks;
  }
}

/** Returns the index of the last block that is not white space; 0 if there is none. */
export function lastBlockIndex(blocks: readonly Token[]): number {
  let index = blocks.length - 1;
  while (index > 0 && blocks[index]?.type === 'space') index--;
  return Math.max(0, index);
}
