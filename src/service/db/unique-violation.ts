/** Whether a query failed because of this unique index. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  // Drizzle wraps database errors.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (typeof cause !== 'object' || cause === null) return false;
  return 'code' in cause && cause.code === '23505' && 'constraint' in cause && cause.constraint === index;
}
