/** Parses JSON. Returns undefined for invalid JSON; every schema rejects that. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
