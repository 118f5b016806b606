import { Lexer, Tokenizer, type Token, type Tokens } from 'marked';
import { safeLink } from './safe-address.ts';

/** How deep quotes and lists may nest. Deeper nesting could overflow the stack. */
const maxDepth = 8;

/**
 * The maximum number of characters, and of characters that may be markup, that are lexed together. The lexer's time is
 * quadratic in both, so longer inline text is lexed in parts.
 */
const maxLength = 2000;
const maxMarks = 100;
const marks = '*_~`[]!<';

/** The maximum number of lines of rules and underlines: for each, the lexer searches all lines below for a table. */
const maxRules = 200;

/** The maximum number of lines that continue a quote without `>`: after each, the lexer lexes the quote again. */
const maxLazyLines = 200;

/**
 * Ends a bare address, and may come before emphasis: Chinese, Japanese and Korean, which have no spaces there, and all
 * punctuation and symbols but ASCII, `–` and `·`. An address that contains them needs the syntax of a link. Before
 * emphasis, the lexer passes one code unit: half of an emoji.
 */
const boundary = /[\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}ーｰ〆\p{Cs}]|(?![\p{ASCII}–·])[\p{P}\p{S}]/u;

/** Chinese, Japanese or Korean after emphasis that ends with punctuation. */
const cjkAfterMark = /((?!\*)[\p{P}\p{S}]\*+)[\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}ーｰ〆]/gu;

/** A tag that models write for a line break, since cells of tables have no other. */
const lineBreak = /^ {0,3}<br *\/?>\n?/i;

/** The address in a definition that is no text: of a page of the site, of an image, or of a comment. */
const hiddenAddress = /\]:\s*(?:[<#./]|data:)/i;

/** A lexer that takes linear time for any text. */
class BoundedLexer extends Lexer {
  constructor() {
    // GFM, with every newline as a line break, as people and models write chat messages.
    super({ gfm: true, breaks: true, tokenizer: new BoundedTokenizer() });
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    for (let start = 0; start < text.length;) {
      const end = partEnd(text, start);
      super.inlineTokens(text.slice(start, end), tokens);
      start = end;
    }
    return tokens;
  }
}

class BoundedTokenizer extends Tokenizer {
  #depth = 0;

  override blockquote(text: string): Tokens.Blockquote | undefined {
    const [raw = ''] = this.rules.block.blockquote.exec(text) ?? [];
    const { length } = raw.match(/^ {0,3}>.*\n(?! {0,3}>)./gm) ?? [];
    if (length > maxLazyLines)
      throw new RangeError(`Markdown has a quote with more than ${maxLazyLines} lines without >.`);
    return this.#nested(() => super.blockquote(text));
  }

  override list(text: string): Tokens.List | undefined {
    return this.#nested(() => super.list(text));
  }

  /** The lexer looks for an underlined heading at each line of a list: here only among the next lines, not in all. */
  override lheading(text: string): Tokens.Heading | undefined {
    return super.lheading(text.split('\n', 20).join('\n'));
  }

  /** Rows are padded to the width of their table: few characters could make millions of cells. */
  override table(text: string): Tokens.Table | undefined {
    const [raw = '', , alignments = ''] = this.rules.block.table.exec(text) ?? [];
    const columns = alignments.split('|').length;
    const rows = raw.split('\n').length;
    return columns * rows > raw.length ? undefined : super.table(text);
  }

  /** A definition is not shown, so `[Status]: shipped` is text. */
  override def(text: string): Tokens.Def | undefined {
    const definition = super.def(text);
    return definition && (safeLink(definition.href) || hiddenAddress.test(definition.raw))
      ? definition
      : undefined;
  }

  /** After a line break, Markdown continues. */
  override html(text: string): Tokens.HTML | undefined {
    return lineBreak.test(text) ? undefined : super.html(text);
  }

  override tag(text: string): Tokens.Tag | undefined {
    const [raw] = lineBreak.exec(text) ?? [];
    return raw ? ({ type: 'br', raw } as never) : super.tag(text);
  }

  /** GFM also strikes through between single tildes, but people write those in ranges and for "about". */
  override del(text: string, masked: string, before?: string): Tokens.Del | undefined {
    return text.startsWith('~~') ? super.del(text, masked, before) : undefined;
  }

  /**
   * CommonMark has no emphasis that begins or ends with punctuation next to a letter, as in `**注意：**请`. Here, Chinese,
   * Japanese and Korean letters next to `*` count as punctuation, and so do emoji.
   */
  override emStrong(text: string, masked: string, before = ''): Tokens.Em | Tokens.Strong | undefined {
    if (!text.startsWith('*')) return super.emStrong(text, masked, before);
    const marks = masked.replace(cjkAfterMark, (found, mark: string) => mark.padEnd(found.length, '.'));
    return super.emStrong(text, marks, before.replace(boundary, ''));
  }

  override url(text: string): Tokens.Link | undefined {
    const link = super.url(text);
    const end = link?.raw.search(boundary) ?? -1;
    return end < 0 ? link : super.url(text.slice(0, end));
  }

  #nested<Block>(tokenize: () => Block): Block {
    if (++this.#depth > maxDepth) throw new RangeError(`Markdown nests deeper than ${maxDepth} levels.`);
    const block = tokenize();
    this.#depth--;
    return block;
  }
}

/**
 * The end of the part that begins at `start`: before white space if there is any, and never within a surrogate pair.
 */
function partEnd(text: string, start: number): number {
  let count = 0;
  let end = start;
  while (end < text.length && end - start < maxLength && count < maxMarks)
    if (marks.includes(text.charAt(end++))) count++;
  if (end === text.length) return end;
  const part = text.slice(start + 1, end);
  const space = Math.max(part.lastIndexOf('\n'), part.lastIndexOf(' '));
  if (space >= 0) return start + 1 + space;
  return /[\udc00-\udfff]/.test(text.charAt(end)) ? end - 1 : end;
}

/**
 * Lexes a text into blocks with their inline tokens.
 *
 * @throws {RangeError} if the text is too complex
 */
export function lexMarkdown(text: string): Token[] {
  checkRules(text);
  return new BoundedLexer().lex(text);
}

/**
 * Lexes a text into blocks without inline tokens.
 *
 * @throws {RangeError} if the text is too complex
 */
export function lexBlocks(text: string): Token[] {
  checkRules(text);
  return new BoundedLexer().blockTokens(text);
}

function checkRules(text: string): void {
  const { length } = text.match(/^[ \t>|:=-]+$/gm) ?? [];
  if (length > maxRules) throw new RangeError(`Markdown has more than ${maxRules} rules and underlines.`);
}
