/** A Markdown table. Line breaks and pipes in cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export const code = (text: string) => `\`${text}\``;

/** Text that is no Markdown: the page shows its `<` instead of reading it as a tag. */
export const plain = (text: string) => text.replaceAll('<', '&lt;');
