const warned = new Set<string>();

/** Warns the site's owner about an invalid value. Each message is logged once, since pages re-render. */
export function warnOnce(message: string): void {
  if (warned.has(message)) return;
  warned.add(message);
  // eslint-disable-next-line no-console -- the only place where a site's owner looks
  console.warn(`<voice-assistant-chat> ${message}`);
}
