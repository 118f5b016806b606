/** Elements that are not read aloud. */
const silent = 'button, figcaption, input, .visually-hidden, [aria-hidden="true"]';

/** Elements that start and end a line. */
const lines = 'p, li, tr, pre, h3, h4, h5, blockquote, figure, div';

/**
 * Returns the text of an answer without its buttons. Unlike `innerText`, this forces no layout, and includes off-screen
 * content that the browser does not render.
 *
 * @param skip how many of the first blocks to leave out
 */
export function textToReadAloud(answer: Element, skip = 0): string {
  const nodes = skip === 0 ? [answer] : [...answer.children].slice(skip);
  return nodes
    .map(collect)
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
}

function collect(node: Node): string {
  if (node instanceof Text) return node.data;
  if (!(node instanceof Element) || node.matches(silent)) return '';
  if (node.localName === 'br') return '\n';
  const isCode = node.localName === 'pre' || node.matches('.text');
  const inside = [...node.childNodes]
    .map((child) =>
      // A line break between tags of a template is not part of the text.
      child instanceof Text && !isCode ? child.data.replace(/\s+/g, ' ') : collect(child),
    )
    .join('');
  if (node.matches('td, th')) return `${inside} `;
  return node.matches(lines) ? `\n${inside}\n` : inside;
}
