/** Converts a `Retry-After` header, which contains seconds or a date, or the body's `retry_after` to seconds. */
export function retryAfterSeconds(value: unknown): number | undefined {
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return undefined;
  const seconds = Number.isNaN(Number(value))
    ? (Date.parse(String(value)) - Date.now()) / 1000
    : Number(value);
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}
