/** Returns 128 random bits in hex. `crypto.randomUUID` would exist in secure contexts only. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
