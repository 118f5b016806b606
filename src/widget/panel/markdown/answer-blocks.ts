import type { Token } from 'marked';
import { BlockLexer, lastBlock } from './block-lexer.ts';
import { heal } from './heal.ts';
import { mayBeReplies, repliesIn } from './replies.ts';

/** An answer as it shows. */
export interface AnswerBlocks {
  readonly blocks: readonly Token[];
  /** What it suggests to reply; that is no part of its blocks. */
  readonly replies: readonly string[];
}

/** Of answers that are still growing. */
const growing = new Map<string, BlockLexer>();

/** How deep quotes and lists may stand in one another. Deeper ones are no writing, and would exhaust the stack. */
const deepest = 24;

/**
 * Reads an answer's Markdown: CommonMark with GFM's tables, task lists, strikethrough and autolinks. Gives undefined for
 * what has to show as plain text.
 *
 * @param key tells one growing text from another
 */
export function answerBlocks(key: string, source: string, isGrowing: boolean): AnswerBlocks | undefined {
  const text = source.replace(/\r\n?/g, '\n');
  try {
    const tokens = isGrowing ? grow(key, text) : BlockLexer.lexWhole(text);
    if (!isGrowing) growing.delete(key);
    if (isDeeperThan(deepest, tokens)) return undefined;
    const replies = isGrowing ? [] : repliesIn(tokens);
    return { blocks: replies.length > 0 ? tokens.slice(0, lastBlock(tokens)) : tokens, replies };
  } catch {
    // The lexer recurses too: nesting can exhaust the stack before it can be counted.
    return undefined;
  }
}

function grow(key: string, text: string): readonly Token[] {
  const lexer = growing.get(key) ?? new BlockLexer();
  growing.set(key, lexer);
  const tokens = lexer.lex(text);
  const last = lastBlock(tokens);
  const raw = tokens[last]?.raw ?? '';
  const settled = tokens.slice(0, last);
  return mayBeReplies(raw) ? settled : [...settled, ...BlockLexer.lexWhole(heal(raw))];
}

/** Tokens whose nesting was looked at before: settled blocks come again with every piece. */
const shallow = new WeakSet<Token>();

function isDeeperThan(levels: number, tokens: readonly Token[]): boolean {
  return tokens.some((token) => {
    if (shallow.has(token)) return false;
    const { tokens: inner = [], items = [] } = token as { tokens?: Token[]; items?: Token[] };
    if (levels === 0 || isDeeperThan(levels - 1, [...inner, ...items])) return true;
    shallow.add(token);
    return false;
  });
}
