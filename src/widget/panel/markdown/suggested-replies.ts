import type { Token, Tokens } from 'marked';
import { decodeEntities } from './decode-entities.ts';
import { lastBlockIndex } from './growing-answer.ts';

/** The maximum number of suggested replies and their maximum length. Longer lists are ordinary lists. */
const maxReplies = 8;
const maxLength = 200;

/**
 * Matches the start of a list that may become suggested replies; until that is certain, it is not shown. Its first item
 * starts with a link, whose text may contain escapes and brackets.
 */
const beginning =
  /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(?:\\(?:.|$)|\[[^[\]\n]*(?:\]|$)|[^\\[\]\n])*(?:\n*$|\](?:$|\(<?(?:$|r[eply:]*(?:$|[>) ]))))/;

/** Whether the last block of a streaming answer is, or may become, a list of suggested replies. */
export function mayBeReplies(raw: string): boolean {
  return beginning.test(raw);
}

/**
 * The replies that an answer suggests: a list at its end in which every item is a link to `reply:`, as in
 * `- [Yes, please](reply:)`. Other Markdown renderers show a list.
 */
export function repliesIn(tokens: readonly Token[]): readonly string[] {
  const last = tokens[lastBlockIndex(tokens)];
  if (last?.type !== 'list') return [];
  const { items } = last as Tokens.List;
  const replies = items.map(({ tokens: [content, ...others] }) => {
    const [link, ...rest] = (content as Tokens.Generic | undefined)?.tokens ?? [];
    const { type, href, tokens } = { ...(link as Tokens.Link | undefined) };
    return type === 'link' && href === 'reply:' && others.length + rest.length === 0
      ? withoutMarks(tokens).trim()
      : '';
  });
  const isValid =
    replies.length <= maxReplies && replies.every((reply) => reply !== '' && reply.length <= maxLength);
  return isValid ? replies : [];
}

/** The text of a reply, without markup. */
function withoutMarks(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) => {
      const { tokens, text = '' } = token as Tokens.Generic & { text?: string };
      return tokens ? withoutMarks(tokens) : decodeEntities(text);
    })
    .join('');
}
