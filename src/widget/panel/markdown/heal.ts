/**
 * Closes what the end of a growing text leaves open, so that half-open markup never shows: `**bo` becomes `**bo**`, a
 * link without its address becomes its text, a mark that just began waits.
 *
 * @param text the last block of an answer under way
 */
export function heal(text: string): string {
  // Within a fence everything is code, and an open fence is a code block as it is.
  if (/^ {0,3}(?:```|~~~)/.test(text)) return text;
  let healed = text
    // The start of a mark with nothing in it yet, or a list or heading mark without its text.
    .replace(/(^|[\s(])(?:\*{1,3}|_{1,3}|~{1,2}|`+)$/, '$1')
    .replace(/(^|\n) {0,3}(?:#{1,6}|[-+*]|\d{1,9}[.)]|>|\|)\s*$/, '$1')
    // Images and links: the address is not there, or not whole.
    .replace(/!\[[^\]\n]*(?:\](?:\([^)\n]*)?)?$/, '')
    .replace(/\[([^\]\n]*)(?:\](?:\([^)\n]*)?)?$/, '$1');
  const open = openMarks(healed);
  // A closing mark may not follow white space.
  const end = /\s*$/.exec(healed)?.[0] ?? '';
  if (open.length > 0) healed = healed.slice(0, healed.length - end.length) + open.reverse().join('') + end;
  return healed;
}

/** The marks that are open at the end of a text, outermost first. */
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

/** A lone `*` between spaces or a `_` within a word marks nothing. */
function isMark(text: string, mark: string): boolean {
  const at = text.lastIndexOf(mark);
  const [before = ' ', after = ' '] = [text[at - 1], text[at + mark.length]];
  return /\S/.test(after) && !(mark.startsWith('_') && /\w/.test(before));
}
