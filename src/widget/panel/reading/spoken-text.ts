/** Elements that say nothing of an answer's own. */
const silent = 'button, figcaption, input, .visually-hidden, [aria-hidden="true"]';

/** Elements that begin and end a line. */
const lines = 'p, li, tr, pre, h3, h4, h5, blockquote, figure, div';

/**
 * What an answer says, without the buttons in it. Not its `innerText`: that costs a layout, and an answer out of sight
 * has none.
 */
export function spokenText(answer: Element): string {
  return collect(answer)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[\s]*/g, '\n')
    .trim();
}

function collect(node: Node): string {
  if (node instanceof Text) return node.data;
  if (!(node instanceof Element) || node.matches(silent)) return '';
  if (node.localName === 'br') return '\n';
  const isCode = node.localName === 'pre' || node.matches('.text');
  const inside = Array.from(node.childNodes, (child) =>
    // A line break in the source of a template is none in the text.
    child instanceof Text && !isCode ? child.data.replace(/\s+/g, ' ') : collect(child),
  ).join('');
  if (node.matches('td, th')) return `${inside} `;
  return node.matches(lines) ? `\n${inside}\n` : inside;
}
