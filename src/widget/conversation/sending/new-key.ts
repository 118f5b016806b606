/** `crypto.randomUUID` exists on secure pages only; a page served over http has the random numbers all the same. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
