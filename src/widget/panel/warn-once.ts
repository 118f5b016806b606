const warned = new Set<string>();

/** Warns the site's owner about a bad value, once for each. The shell has its own: a shared module would be one more file. */
export function warnOnce(message: string): void {
  if (warned.has(message)) return;
  warned.add(message);
  // eslint-disable-next-line no-console -- the only place where a site's owner looks
  console.warn(`<voice-assistant-chat> ${message}`);
}
