/** Returns the URL to show beside a link's text; empty if the text is the URL. */
export function urlNextTo(text: string, href: string): string {
  return bare(text) === bare(href) ? '' : href.replace(/^(?:mailto|tel):/, '');
}

/** Shortens a URL: `example.com`, not `http://example.com/`. */
function bare(address: string): string {
  const short = address.trim().replace(/^(?:https?:\/\/|mailto:|tel:)|\/$/gi, '');
  // Phone numbers are written with spaces, brackets and hyphens.
  const plain = /^\+?[\d\s()/.-]+$/.test(short) ? short.replace(/[^\d+]/g, '') : short;
  try {
    return decodeURI(plain);
  } catch {
    return plain;
  }
}
