/** A piece of a document, small enough to be an answer. */
export interface Chunk {
  heading: string;
  body: string;
}

/** Longest body of a chunk, in UTF-16 code units. A longer section is cut between paragraphs. */
const bodyLength = 1200;

/** Longest paragraph that stays whole. */
const paragraphLength = 4800;

/**
 * Cuts Markdown into one chunk per section, named by its own heading; sections without text of their own give none.
 * Text before the first heading is named by `title`.
 */
export function chunkMarkdown(title: string, markdown: string): Chunk[] {
  const chunks: Chunk[] = [];
  let heading = title;
  let lines: string[] = [];
  let fenced = false;
  const finish = () => {
    for (const body of cutBody(lines.join('\n').trim())) chunks.push({ heading, body });
    lines = [];
  };
  for (const line of markdown.split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    const found = fenced ? null : /^#{1,6}\s+(.+?)[\s#]*$/.exec(line);
    if (found?.[1] === undefined) {
      lines.push(line);
    } else {
      finish();
      heading = found[1];
    }
  }
  finish();
  return chunks;
}

function cutBody(body: string): string[] {
  if (body.length <= bodyLength) return body === '' ? [] : [body];
  const bodies: string[] = [];
  let current = '';
  for (const paragraph of body.split(/\n{2,}/).flatMap(cutParagraph)) {
    if (current !== '' && current.length + paragraph.length > bodyLength) {
      bodies.push(current);
      current = '';
    }
    current += (current === '' ? '' : '\n\n') + paragraph;
  }
  return [...bodies, current];
}

/** A paragraph that is no text for people, such as a table in one line, is cut where it has white space, or anywhere. */
function cutParagraph(paragraph: string): string[] {
  const pieces: string[] = [];
  let rest = paragraph;
  while (rest.length > paragraphLength) {
    const space = rest.lastIndexOf(' ', bodyLength);
    const end = space > 0 ? space : bodyLength;
    pieces.push(rest.slice(0, end).toWellFormed());
    rest = rest.slice(end).trimStart();
  }
  return [...pieces, rest];
}
