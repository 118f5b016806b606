/** Several of the visitor's texts as one to go on with. */
export function joined(...texts: string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
