const warned = new Set<string>();

/**
 * Warns the site's owner about an invalid value, once per message. The shell has a copy: sharing it would take a
 * request.
 */
export function warnOnce(message: string): void {
  if (warned.has(message)) return;
  warned.add(message);
  // eslint-disable-next-line no-console -- the only place where a site's owner looks
  console.warn(`<voice-assistant-chat> ${message}`);
}
