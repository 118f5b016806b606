import TurndownService from 'turndown';

const turndown = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
});
turndown.remove([
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'form',
  'button',
  'select',
  'textarea',
]);
turndown.addRule('pictures', {
  filter: ['img', 'picture', 'video', 'audio', 'canvas'],
  replacement: () => '',
});
// A table's cells side by side, a row in a line: that is what a question finds.
turndown.addRule('cells', {
  filter: ['th', 'td'],
  replacement: (content, node) =>
    `${content.trim().replace(/\s*\n\s*/g, ' ')}${(node as unknown as { nextSibling: unknown }).nextSibling === null ? '' : ' | '}`,
});
turndown.addRule('rows', { filter: 'tr', replacement: (content) => `${content.trim()}\n` });

/** HTML as Markdown, without anything that has no text. */
export const htmlMarkdown = (html: string): string => turndown.turndown(html).trim();
