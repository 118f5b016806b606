import type { Token, Tokens } from 'marked';
import { decodeEntities } from '../markdown/decode-entities.ts';
import { safeLink } from '../markdown/safe-address.ts';
import { urlNextTo } from './link-text.ts';

/** A thematic break. */
const rule = '─'.repeat(8);

/** Converts an answer to plain text: lists with hyphens and numbers, tables with tabs. */
export function plainText(blocks: readonly Token[]): string {
  return joined(blocks, '\n\n');
}

/** Joins blocks and keeps their white space, which is significant at the start and end of code. */
function joined(tokens: readonly Token[], separator: string): string {
  return tokens
    .map(block)
    .filter((text) => text.trim() !== '')
    .join(separator);
}

function block(token: Token): string {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return '';
    case 'code':
      return (token as Tokens.Code).text;
    case 'blockquote':
      return indented(plainText((token as Tokens.Blockquote).tokens), '  ', '  ');
    case 'list':
      return list(token as Tokens.List);
    case 'table':
      return table(token as Tokens.Table);
    case 'hr':
      return rule;
    case 'html':
      return (token as Tokens.HTML).text.trim();
    default:
      return inline((token as Tokens.Generic).tokens ?? [token]).trim();
  }
}

function list({ ordered, start, loose, items }: Tokens.List): string {
  const texts = items.map(({ task, checked, tokens }, index) => {
    const number = `${String(Number(start) + index)}. `;
    const mark = task ? (checked ? '☑ ' : '☐ ') : ordered ? number : '- ';
    return indented(joined(tokens, loose ? '\n\n' : '\n'), mark, ' '.repeat(mark.length)).trimEnd();
  });
  return texts.join(loose ? '\n\n' : '\n');
}

function table({ header, rows }: Tokens.Table): string {
  const line = (cells: readonly Tokens.TableCell[]): string =>
    cells.map(({ tokens }) => inline(tokens).replace(/\s+/g, ' ').trim()).join('\t');
  return [header, ...rows].map(line).join('\n');
}

/** Puts the mark before the first line, and indents the others. */
function indented(text: string, mark: string, indent: string): string {
  return mark + text.replace(/\n(?=[^\n])/g, `\n${indent}`);
}

function inline(tokens: readonly Token[] | undefined, isInLink = false): string {
  return tokens?.map((token) => inlineToken(token, isInLink)).join('') ?? '';
}

function inlineToken(token: Token, isInLink: boolean): string {
  const { type, text = '', href = '', tokens } = token as Tokens.Generic & { text?: string; href?: string };
  switch (type) {
    case 'br':
      return '\n';
    case 'checkbox':
      return '';
    case 'codespan':
      return text;
    case 'link':
      return link(inline(tokens, true), href);
    case 'image':
      return isInLink ? decodeEntities(text) : link(decodeEntities(text || href), href);
    default:
      return tokens ? inline(tokens, isInLink) : decodeEntities(text);
  }
}

function link(text: string, address: string): string {
  const href = safeLink(decodeEntities(address));
  const beside = href === undefined ? '' : urlNextTo(text, href);
  if (beside === '') return text;
  return text.trim() === '' ? beside : `${text} (${beside})`;
}
