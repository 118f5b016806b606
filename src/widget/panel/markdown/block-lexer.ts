import { Lexer, type Token } from 'marked';

/** GFM, and a line break for every line break: people and models write chat messages that way. */
const options = { gfm: true, breaks: true };

/**
 * Lexes a text that grows: blocks that nothing can change any more keep their tokens, so a long answer costs no more
 * for each piece than a short one.
 */
export class BlockLexer {
  #settled: Token[] = [];
  #settledLength = 0;

  /** Top-level blocks of `text`. Blocks that are settled are the same objects as before. */
  lex(text: string): readonly Token[] {
    // Comparing the last settled block tells another text from a longer one, without reading all of it each time.
    const settled = this.#settled.at(-1)?.raw ?? '';
    if (!text.startsWith(settled, this.#settledLength - settled.length)) {
      this.#settled = [];
      this.#settledLength = 0;
    }
    const tokens = Lexer.lex(text.slice(this.#settledLength), options);
    // A later line can still continue the last block, even across blank lines (a list), but none before it.
    const done = tokens.slice(0, lastBlock(tokens));
    const blocks = [...this.#settled, ...tokens];
    this.#settled.push(...done);
    this.#settledLength += done.reduce((length, { raw }) => length + raw.length, 0);
    return blocks;
  }

  /** The blocks of a whole text, lexed in one go: only then do references find definitions that come later. */
  static lexWhole(text: string): readonly Token[] {
    return Lexer.lex(text, options);
  }
}

/** The index of the last block that is more than white space; 0 if there is none. */
export function lastBlock(tokens: readonly Token[]): number {
  let index = tokens.length - 1;
  while (index > 0 && tokens[index]?.type === 'space') index--;
  return Math.max(0, index);
}
