import type { Token, Tokens } from 'marked';
import { decodeEntities } from '../markdown/decode-entities.ts';
import { safeLink } from '../markdown/safe-address.ts';

/*
 * HTML for emails and documents. It is generated from tokens, and every text and address in it is escaped, so markup in
 * an answer stays text. Images become links, since the reader of the document has not allowed their origin.
 */

/** Converts an answer to HTML of a few harmless elements, with `href` as the only attribute from the answer. */
export function richText(blocks: readonly Token[]): string {
  return blocks.map(block).join('');
}

/** Converts plain text to HTML paragraphs with line breaks. */
export function richLines(text: string): string {
  const paragraphs = text.trim().split(/\n{2,}/);
  return paragraphs.map((paragraph) => `<p>${escape(paragraph).replaceAll('\n', '<br>')}</p>`).join('');
}

/** Sets the direction of HTML to that of the first letter in its text, as `dir="auto"` does. */
export function withDirection(content: string, text: string): string {
  const [first = ''] = /\p{L}/u.exec(text) ?? [];
  const isRightToLeft = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u.test(first);
  return isRightToLeft ? `<div dir="rtl">${content}</div>` : content;
}

function block(token: Token): string {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return '';
    case 'heading':
      return heading(token as Tokens.Heading);
    case 'code':
      return `<pre dir="ltr"><code>${escape((token as Tokens.Code).text)}</code></pre>`;
    case 'blockquote':
      return `<blockquote>${richText((token as Tokens.Blockquote).tokens)}</blockquote>`;
    case 'list':
      return list(token as Tokens.List);
    case 'table':
      return table(token as Tokens.Table);
    case 'hr':
      return '<hr>';
    case 'text':
      return inline((token as Tokens.Text).tokens ?? [token]);
    case 'html':
      return richLines((token as Tokens.HTML).text);
    default:
      return `<p>${inline((token as Tokens.Paragraph).tokens)}</p>`;
  }
}

function heading({ depth, tokens }: Tokens.Heading): string {
  const name = `h${String(Math.min(depth + 2, 5))}`;
  return `<${name}>${inline(tokens)}</${name}>`;
}

function list({ ordered, start, items }: Tokens.List): string {
  const content = items
    .map(({ task, checked, tokens }) => `<li>${task ? (checked ? '☑ ' : '☐ ') : ''}${richText(tokens)}</li>`)
    .join('');
  return ordered ? `<ol start="${String(start)}">${content}</ol>` : `<ul>${content}</ul>`;
}

function table({ header, rows }: Tokens.Table): string {
  const row = (name: 'th' | 'td', cells: readonly Tokens.TableCell[]): string =>
    `<tr>${cells.map(({ tokens }) => `<${name}>${inline(tokens)}</${name}>`).join('')}</tr>`;
  const body = rows.map((cells) => row('td', cells)).join('');
  return `<table><thead>${row('th', header)}</thead><tbody>${body}</tbody></table>`;
}

function inline(tokens: readonly Token[] | undefined, isInLink = false): string {
  return tokens?.map((token) => inlineToken(token, isInLink)).join('') ?? '';
}

function inlineToken(token: Token, isInLink: boolean): string {
  const { type, text = '', href = '', tokens } = token as Tokens.Generic & { text?: string; href?: string };
  switch (type) {
    case 'strong':
    case 'em':
    case 'del':
      return `<${type}>${inline(tokens, isInLink)}</${type}>`;
    case 'br':
      return '<br>';
    case 'checkbox':
      return '';
    case 'codespan':
      return `<code dir="ltr">${escape(text)}</code>`;
    case 'link':
      return link(inline(tokens, true), href);
    case 'image': {
      const shown = escape(decodeEntities(text || href));
      return isInLink ? shown : link(shown, href);
    }
    default:
      return tokens ? inline(tokens, isInLink) : escape(decodeEntities(text));
  }
}

function link(content: string, address: string): string {
  const href = safeLink(decodeEntities(address));
  return href === undefined ? content : `<a href="${escape(href)}">${content}</a>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
