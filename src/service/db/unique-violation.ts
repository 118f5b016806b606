/** Whether a query failed because a unique index of that name holds such a row already. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  // Drizzle wraps what the database says.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (typeof cause !== 'object' || cause === null) return false;
  return 'code' in cause && cause.code === '23505' && 'constraint' in cause && cause.constraint === index;
}
