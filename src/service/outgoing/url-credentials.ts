/** A URL without its user name and password. */
export interface SplitUrl {
  address: string;
  /** The header that sends them; empty if there are none. */
  authorization: { Authorization?: string };
  /** Decoded; empty if there is none. */
  password: string;
}

/** Removes the user name and password from an address. `fetchGuarded` refuses an address that has them. */
export function splitCredentials(url: string): SplitUrl {
  const parsed = URL.parse(url);
  if (!parsed || (parsed.username === '' && parsed.password === ''))
    return { address: url, authorization: {}, password: '' };
  const [username = '', password = ''] = [parsed.username, parsed.password].map(decode);
  parsed.username = parsed.password = '';
  const encoded = Buffer.from(`${username}:${password}`).toString('base64');
  return { address: parsed.href, authorization: { Authorization: `Basic ${encoded}` }, password };
}

/** Decodes percent-encoded characters. A text with another percent sign is returned unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
