import { Lexer } from 'marked';
import type { Tokens } from 'marked';

/** A section of a document, or part of a long one. */
export interface Chunk {
  /** At most 255 UTF-16 code units. */
  heading: string;
  /** Markdown. */
  body: string;
}

/** Longest heading, in UTF-16 code units: every chunk of a section repeats it. The body has the whole of a longer one. */
const headingLimit = 255;

/** Longest body of a chunk, in UTF-16 code units. A longer section is split between its blocks. */
const bodyLimit = 1200;

/** Longest block (paragraph, list, table, code) that is never split. */
const blockLimit = 4800;

/**
 * Splits Markdown into one chunk per section. Its heading is the path of headings that lead to it, without `title`; text
 * before the first heading has `title` as its heading. A heading without a section of its own is text of the section that
 * contains it.
 *
 * @param keepsLines whether every line break in a paragraph stays.
 */
export function chunkMarkdown(title: string, markdown: string, keepsLines = false): Chunk[] {
  const chunks: Chunk[] = [];
  const path: { depth: number; text: string }[] = [];
  let heading = title;
  let blocks: string[] = [];
  const headings: string[] = [];
  const endSection = () => {
    for (const body of splitSection(blocks)) chunks.push({ heading, body });
    blocks = [];
  };
  // Only blocks are parsed: inline Markdown stays as it is.
  const tokens = new Lexer()
    .blockTokens(markdown.replace(/\r\n?/g, '\n'))
    .filter(({ type }) => type !== 'space');
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading' || token['text'] === '') {
      const block = token.raw.replace(/^\n+/, '').trimEnd();
      blocks.push(token.type === 'paragraph' && !keepsLines ? joinWrapped(block) : block);
      continue;
    }
    const { depth, text } = token as Tokens.Heading;
    headings.push(text);
    while ((path.at(-1)?.depth ?? 0) >= depth) path.pop();
    const parent = path.at(-1)?.text ?? '';
    // Web pages repeat their title ("Boots | Shop") as a heading ("Boots").
    const isRepeated =
      text === title ||
      (parent.startsWith(text) && /^(?:$|\s*[|–—·:]\s|\s-\s)/.test(parent.slice(text.length)));
    const next = tokens[index + 1];
    const isSection = next !== undefined && (next.type !== 'heading' || (next['depth'] as number) > depth);
    if (isSection && !isRepeated) path.push({ depth, text });
    const current = path.length > 0 ? joinPath(path.map((each) => each.text)) : title;
    if (isSection || current !== heading) endSection();
    heading = current;
    if (!isRepeated && (!isSection || text.length > headingLimit)) blocks.push(text);
  }
  endSection();
  return chunks.length > 0 ? chunks : splitSection(headings).map((body) => ({ heading: title, body }));
}

/** Lines of a paragraph may be wrapped if the longest has this length, in UTF-16 code units. */
const wrapWidth = 60;

/**
 * Joins the lines of a paragraph that were wrapped: the next word would not have fit. If that is not so for every line, they
 * may be rows of a list, and only lines that end or go on within a clause are joined. Other line breaks stay, as in an
 * address, after a colon, in columns, and those that Markdown marks.
 */
function joinWrapped(paragraph: string): string {
  const lines = paragraph.split('\n');
  const width = lines.reduce((longest, { length }) => Math.max(longest, length), 0);
  if (width < wrapWidth) return paragraph;
  const isFull = (line: string, index: number): boolean => {
    const [word = ''] = /\S+/.exec(lines[index + 1] ?? '') ?? [];
    return line.length + 1 + word.length > width;
  };
  const isWrapped = lines.length > 2 && lines.slice(0, -1).every(isFull);
  return lines
    .map((line, index) => {
      const next = lines[index + 1];
      if (next === undefined) return line;
      const isJoined = isFull(line, index) && (isWrapped || line.endsWith(',') || /^\s*\p{Ll}/u.test(next));
      return isJoined && !/(?: {2}|[\\:])$|\t| {3}|\.{4}/.test(line) ? `${line.trimEnd()} ` : `${line}\n`;
    })
    .join('');
}

/** Joins as many of the innermost headings as fit. */
function joinPath(headings: string[]): string {
  const path = headings.join(' › ');
  return path.length > headingLimit && headings.length > 1
    ? joinPath(headings.slice(1))
    : path.slice(0, headingLimit).toWellFormed();
}

/** The length of the headings and bodies of chunks, in UTF-16 code units. */
export const totalLength = (chunks: readonly Chunk[]): number =>
  chunks.reduce((sum, { heading, body }) => sum + heading.length + body.length, 0);

function splitSection(blocks: string[]): string[] {
  const bodies: string[] = [];
  let current: string[] = [];
  let length = 0;
  for (const block of blocks.flatMap(splitBlock)) {
    if (current.length > 0 && length + block.length > bodyLimit) {
      bodies.push(current.join('\n\n'));
      current = [];
      length = 0;
    }
    current.push(block);
    length += block.length + 2;
  }
  return current.length === 0 ? bodies : [...bodies, current.join('\n\n')];
}

/** Splits a very long block, such as a table, at line breaks, at spaces, or anywhere. */
function splitBlock(block: string): string[] {
  const parts: string[] = [];
  let rest = block;
  while (rest.length > blockLimit) {
    const start = rest.slice(0, bodyLimit);
    const end =
      [start.lastIndexOf('\n'), start.lastIndexOf(' '), start.length].find((index) => index > 0) ?? 0;
    parts.push(rest.slice(0, end).toWellFormed());
    rest = rest.slice(end).trimStart();
  }
  return rest === '' ? parts : [...parts, rest];
}
