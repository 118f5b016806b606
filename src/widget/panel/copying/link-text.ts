/** What of a link's address is worth reading beside its text; empty where the text says it already. */
export function addressBeside(text: string, href: string): string {
  return bare(text) === bare(href) ? '' : href.replace(/^(?:mailto|tel):/, '');
}

/** An address as people write it: `example.com`, not `http://example.com/`. */
function bare(address: string): string {
  const short = address.trim().replace(/^(?:https?:\/\/|mailto:|tel:)|\/$/gi, '');
  // Numbers of telephones are written with gaps, brackets and hyphens.
  const plain = /^\+?[\d\s()/.-]+$/.test(short) ? short.replace(/[^\d+]/g, '') : short;
  try {
    return decodeURI(plain);
  } catch {
    return plain;
  }
}
