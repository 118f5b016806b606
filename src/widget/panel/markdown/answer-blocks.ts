import type { Token } from 'marked';
import { GrowingAnswer, lastBlockIndex } from './growing-answer.ts';
import { lexMarkdown } from './lex-markdown.ts';
import { repliesIn } from './suggested-replies.ts';

/** An answer's Markdown, lexed. */
export interface AnswerBlocks {
  readonly blocks: readonly Token[];
  /** The replies that the answer suggests; they are not part of its blocks. */
  readonly replies: readonly string[];
}

const growing = new Map<string, GrowingAnswer>();

/**
 * Lexes an answer: CommonMark with GFM's tables, task lists, strikethrough and autolinks. Returns undefined for text
 * that has to be shown as plain text.
 *
 * @param key identifies the message, whose text grows from call to call
 */
export function answerBlocks(key: string, source: string, isGrowing: boolean): AnswerBlocks | undefined {
  const text = source.replace(/\r\n?/g, '\n');
  try {
    if (isGrowing) {
      const blocks = growingAnswer(key, text).lex(text);
      return blocks && { blocks, replies: [] };
    }
    growing.delete(key);
    // Lexed at once, because links may refer to later definitions.
    const blocks = lexMarkdown(text);
    // A definition is not shown, but the visitor has to see something.
    if (blocks.every(({ type }) => type === 'def' || type === 'space')) return undefined;
    const replies = repliesIn(blocks);
    return { blocks: replies.length > 0 ? blocks.slice(0, lastBlockIndex(blocks)) : blocks, replies };
  } catch {
    // The text is too complex, or the lexer failed.
    return undefined;
  }
}

function growingAnswer(key: string, text: string): GrowingAnswer {
  const known = growing.get(key);
  if (known?.continues(text)) return known;
  const answer = new GrowingAnswer();
  growing.set(key, answer);
  return answer;
}
