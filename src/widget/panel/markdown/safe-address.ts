/** Addresses that a link may have: everything else (`javascript:`, `data:`, …) is shown as text. */
const linkProtocols = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** The address if a link may have it. It must be absolute: an assistant does not know the page it stands on. */
export function safeLink(address: string): string | undefined {
  const url = parse(address);
  return url !== undefined && linkProtocols.has(url.protocol) ? url.href : undefined;
}

/**
 * The address if an image may be loaded from it. An address alone can carry a conversation away to a stranger, so only
 * the site's own choice of origins counts.
 */
export function safeImage(address: string, allowedOrigins: readonly string[]): string | undefined {
  const url = parse(address);
  // Of other schemes, such as `data:`, all have the same origin: none.
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
