const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  euro: '€',
  times: '×',
  deg: '°',
  rarr: '→',
  larr: '←',
  middot: '·',
  bull: '•',
};

/** Decodes numeric references and the common named ones; others stay as written. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name) {
      const known = (name as string).toLowerCase();
      return Object.hasOwn(named, known) ? (named[known] ?? whole) : whole;
    }
    const code = decimal ? Number(decimal) : parseInt(hex as string, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}
