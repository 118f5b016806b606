import { marked } from 'marked';
import type { Token, Tokens } from 'marked';

const fence = /^[ \t]*(?:```|~~~)/;

/** Converts the sentences of a Markdown text to words for speech, without markup, link addresses and code blocks. */
export class PlainSpeech {
  #isInCode = false;

  /** Converts the next sentence of the text, which may start or end a code block. */
  convert(sentence: string): string {
    const lines = sentence.split('\n').filter((line) => {
      const isFence = fence.test(line);
      if (isFence) this.#isInCode = !this.#isInCode;
      return !isFence && !this.#isInCode;
    });
    return spoken(marked.lexer(lines.join('\n').trim()))
      .replace(/\p{Extended_Pictographic}[\uFE0F\u200D\p{Extended_Pictographic}]*/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  }
}

function spoken(tokens: readonly Token[]): string {
  return tokens.map((token) => wordsOf(token)).join('');
}

function wordsOf(token: Token): string {
  switch (token.type) {
    case 'code':
    case 'html':
    case 'hr':
    case 'def':
    case 'br':
      return ' ';
    case 'link': {
      const { text, href, tokens } = token as Tokens.Link;
      return text === href ? hostOf(href) : spoken(tokens);
    }
    case 'image':
    case 'codespan':
    case 'escape':
      return String(token['text']);
    case 'list':
      return (token as Tokens.List).items.map((item) => ended(itemWords(item))).join(' ');
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows]
        .map((row) => ended(row.map(({ tokens }) => spoken(tokens)).join(', ')))
        .join(' ');
    }
    case 'heading':
      return `${ended(spoken(token.tokens ?? []))} `;
    case 'paragraph':
      return `${spoken(token.tokens ?? [])} `;
    default:
      return 'tokens' in token ? spoken(token.tokens ?? []) : token.raw;
  }
}

/** With the number as it is written: the "list" may be a sentence that begins with a number, such as "24. December". */
function itemWords({ raw, tokens }: Tokens.ListItem): string {
  const number = /^\s*(\d+[.)])/.exec(raw)?.[1] ?? '';
  return `${number} ${spoken(tokens)}`.trim();
}

/** Ends a line like a sentence, so that the voice pauses. */
const ended = (text: string) => (/[\p{L}\p{N}]\s*$/u.test(text) ? `${text.trim()}.` : text);

function hostOf(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  return url.host === '' ? url.pathname : url.host.replace(/^www\./, '');
}
