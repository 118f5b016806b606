/** Protocols that links may have. Links with others (`javascript:`, `data:`, …) are shown as text. */
const linkProtocols = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** Returns the URL if links may have it. It must be absolute, since an assistant does not know the page's URL. */
export function safeLink(address: string): string | undefined {
  const url = parse(address);
  return url !== undefined && linkProtocols.has(url.protocol) ? url.href : undefined;
}

/**
 * Returns the URL if images may be loaded from it. An image URL can leak the conversation to a third party, so images
 * are loaded only from origins that the site allows.
 */
export function safeImage(address: string, allowedOrigins: readonly string[]): string | undefined {
  const url = parse(address);
  // URLs of other schemes, such as `data:`, all have the opaque origin `null`.
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return allowedOrigins.some((allowed) => parse(allowed)?.origin === url.origin) ? url.href : undefined;
}

function parse(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}
