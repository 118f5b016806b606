/**
 * A line that begins or ends a fenced code block, which may be in a list or a quote: spaces, marks of quotes and list
 * items, at least three backticks or tildes, and the name of a language.
 */
const fenceLine = /^(?:[ \t>]|[-+*][ \t]|\d{1,9}[.)][ \t])*(`{3,}(?!.*`)|~{3,})(?!~)(.*)$/gm;

/**
 * Closes markup that is still open at the end of a growing text, so that its syntax is never visible: `**bo` becomes
 * `**bo**`, a link without its address becomes its text, and a mark without text is left out, as is a line that may become
 * a definition.
 *
 * @param text the last block of a streaming answer
 */
export function closeOpenMarkup(text: string): string {
  const start = codeEnd(text);
  const closed = withoutOpenLink(
    text
      .slice(start)
      // A mark at the end, without text: emphasis with `*` or `_`, deletion with `~~`, code. Not an escaped one, nor one
      // that follows another mark.
      .replace(/(^|[^\\*_~`])(?:\*{1,3}|_{1,3}|~{1,2}|`+)$/, '$1')
      // A last line without text: of a heading, a list item, a numbered one, a quote, a table, or the definition of a link,
      // whose address may be incomplete.
      .replace(/(^|\n) {0,3}(?:#{1,6}|[-+*]|\d{1,9}[.)]|>|\||\[[^\]\n]*\]:(?:[ \t]*\S+)?)[ \t]*\n?$/, '$1'),
  );
  const marks = openMarks(closed);
  // A closing mark may not follow white space.
  const content = marks.length > 0 ? closed.trimEnd() : closed;
  return text.slice(0, start) + content + marks.reverse().join('') + closed.slice(content.length);
}

/** The end of the last fenced code block. If that is still open, the end of the text: in code there are no marks. */
function codeEnd(text: string): number {
  let open = '';
  let end = 0;
  for (const { 0: line, 1: fence = '', 2: info = '', index } of text.matchAll(fenceLine)) {
    if (open === '') open = fence;
    else if (fence.startsWith(open) && info.trim() === '') {
      open = '';
      end = index + line.length;
    }
  }
  return open === '' ? end : text.length;
}

/** Leaves out an image or the brackets of a link whose address is not complete. */
function withoutOpenLink(text: string): string {
  const address = text.lastIndexOf('](');
  const hasOpenAddress = address >= 0 && !/[)\n]/.test(text.slice(address + 2).replace(/\([^()]*\)/g, ''));
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
  for (const { 0: mark, index } of text.matchAll(/\\.|`+|\*\*|\*|__|_|~~/gs)) {
    const before = text[index - 1] ?? ' ';
    const after = text[index + mark.length] ?? ' ';
    const innermost = open.at(-1) ?? '';
    const inOtherCode = innermost.startsWith('`') && mark !== innermost;
    // A mark between spaces is a bullet or a character.
    if (mark.startsWith('\\') || inOtherCode || !(before + after).trim()) continue;
    const at = open.lastIndexOf(mark);
    // The last `*` of `***both***` is no opening mark, as the `**` before it has closed both.
    const isClosed = before === mark && !innermost.startsWith(mark);
    if (at >= 0) open.splice(at);
    else if (!isClosed && after.trim() && !/^[\p{L}\p{N}_]_/u.test(before + mark)) open.push(mark);
  }
  return open;
}
