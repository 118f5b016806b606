const warned = new Set<string>();

/** Tells the site's owner about a bad value: once for each. For late parts: the shell's own would split its script. */
export function warnOnce(message: string): void {
  if (warned.has(message)) return;
  warned.add(message);
  // eslint-disable-next-line no-console -- the only place where a site's owner looks
  console.warn(`<voice-assistant-chat> ${message}`);
}
