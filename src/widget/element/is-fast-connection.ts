/** Whether the browser knows the connection to be fast and not metered. */
export function isFastConnection(): boolean {
  const { connection } = navigator as { connection?: { effectiveType?: string; saveData?: boolean } };
  return connection?.effectiveType === '4g' && !connection.saveData;
}
