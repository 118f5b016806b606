/** SQLSTATE of a write on a server that is read-only, as a standby is. */
const readOnlyCode = '25006';

/** SQLSTATE of a transaction that the server has rolled back to end a deadlock, and of a lock that took too long. */
const lockCodes = ['40P01', '55P03'];

/** Classes of SQLSTATE of a server that is stopping, starting, full, or cannot be reached. */
const outageClasses = /^(08|53|57)/;

/** A refused, lost or silent connection: the client has no class for it. */
const lostConnection =
  /^Connection terminated|^Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** Returns the error that a library has wrapped. */
const causeOf = (error: Error): Error => (error.cause instanceof Error ? causeOf(error.cause) : error);

/** Returns the SQLSTATE of a failed query, or the code of a failed connection; empty if there is none. */
const codeOf = (error: Error): string => {
  // Not by the class of the error: the embedded database has its own.
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
};

/** Whether a query failed since its server is read-only. Other connections may reach the primary. */
export const isReadOnlyError = (error: unknown): boolean =>
  error instanceof Error && codeOf(causeOf(error)) === readOnlyCode;

/**
 * Whether a query may succeed when it is repeated: the database was not available, or the query did not get a lock.
 */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const cause = causeOf(error);
  const code = codeOf(cause);
  return (
    outageClasses.test(code) ||
    lockCodes.includes(code) ||
    code === readOnlyCode ||
    /^(ECONN|EPIPE|ETIMEDOUT)/.test(code) ||
    lostConnection.test(cause.message)
  );
}
