import type { Token, Tokens } from 'marked';
import { decodeEntities } from './decode-entities.ts';
import { lastBlock } from './growing-answer.ts';

/** How many suggestions an answer may end with, and how long each may be. What is beyond that is a list as any other. */
const most = 8;
const longest = 200;

/**
 * A list that may become one of suggestions, as far as it has come: it is not shown as something else before. Its first
 * item begins with a link, whose text may have escapes and brackets.
 */
const beginning =
  /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(?:\\(?:.|$)|\[[^[\]\n]*(?:\]|$)|[^\\[\]\n])*(?:\n*$|\](?:$|\(<?(?:$|r[eply:]*(?:$|[>) ]))))/;

/** Whether the last block of an answer under way is, or may become, a list of suggestions. */
export function mayBeReplies(raw: string): boolean {
  return beginning.test(raw);
}

/**
 * What an answer suggests to reply: the list at its end whose every item is a link to `reply:`, as in
 * `- [Yes, please](reply:)`. Other readers of Markdown show a list.
 */
export function repliesIn(tokens: readonly Token[]): readonly string[] {
  const last = tokens[lastBlock(tokens)];
  if (last?.type !== 'list') return [];
  const { items } = last as Tokens.List;
  const replies = items.map(({ tokens: [content, ...others] }) => {
    const [link, ...rest] = (content as Tokens.Generic | undefined)?.tokens ?? [];
    const { type, href, tokens } = { ...(link as Tokens.Link | undefined) };
    return type === 'link' && href === 'reply:' && others.length + rest.length === 0
      ? withoutMarks(tokens).trim()
      : '';
  });
  const isGood = replies.length <= most && replies.every((reply) => reply !== '' && reply.length <= longest);
  return isGood ? replies : [];
}

/** What a visitor would say: the text alone. */
function withoutMarks(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) => {
      const { tokens, text = '' } = token as Tokens.Generic & { text?: string };
      return tokens ? withoutMarks(tokens) : decodeEntities(text);
    })
    .join('');
}
