/**
 * Closes markup that is still open at the end of a growing text, so that its syntax is never visible: `**bo` becomes
 * `**bo**`, a link without its address becomes its text, and a mark without text is left out.
 *
 * @param text the last block of a streaming answer
 */
export function closeOpenMarkup(text: string): string {
  // In a fenced code block everything is code, and the fence needs no end.
  if (/^ {0,3}(?:```|~~~)/.test(text)) return text;
  const closed = withoutOpenLink(
    text
      .replace(/(^|[\s(])(?:\*{1,3}|_{1,3}|~{1,2}|`+)$/, '$1')
      .replace(/(^|\n) {0,3}(?:#{1,6}|[-+*]|\d{1,9}[.)]|>|\|)[ \t]*\n?$/, '$1'),
  );
  const marks = openMarks(closed);
  if (marks.length === 0) return closed;
  // A closing mark may not follow white space.
  const content = closed.trimEnd();
  return content + marks.reverse().join('') + closed.slice(content.length);
}

/** Leaves out an image or the brackets of a link whose address is not complete. */
function withoutOpenLink(text: string): string {
  const address = text.lastIndexOf('](');
  const hasOpenAddress = address >= 0 && !/[)\n]/.test(text.slice(address + 2));
  const end = hasOpenAddress ? address : text.endsWith(']') ? text.length - 1 : text.length;
  const before = text.slice(0, end);
  const start = before.indexOf('[', Math.max(before.lastIndexOf(']'), before.lastIndexOf('\n')) + 1);
  if (start < 0) return text;
  const image = before.indexOf('![', start - 1);
  const shown = image < 0 ? before : before.slice(0, image);
  return shown.slice(0, start) + shown.slice(start + 1);
}

/** The marks that are open at the end of a text, the outermost first. */
function openMarks(text: string): string[] {
  const open: string[] = [];
  for (const [mark] of text.matchAll(/\\.|`+|\*\*|\*|__|_|~~/gs)) {
    if (mark.startsWith('\\')) continue;
    const inCode = open.find((each) => each.startsWith('`'));
    if (inCode !== undefined) {
      if (mark === inCode) open.splice(open.indexOf(inCode), 1);
      continue;
    }
    const at = open.lastIndexOf(mark);
    if (at >= 0) open.splice(at);
    else open.push(mark);
  }
  return open.filter((mark) => isMark(text, mark));
}

/** A lone `*` between spaces is a character, and so is a `_` within a word. */
function isMark(text: string, mark: string): boolean {
  const at = text.lastIndexOf(mark);
  const [before = ' ', after = ' '] = [text[at - 1], text[at + mark.length]];
  return /\S/.test(after) && !(mark.startsWith('_') && /\w/.test(before));
}
