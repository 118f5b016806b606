import { DatabaseError } from 'pg';

/** SQLSTATE of a write on a server that is read-only, as a standby is. */
const readOnlyCode = '25006';

/** Classes of SQLSTATE of a server that is stopping, starting, full, or cannot be reached. */
const outageClasses = /^(08|53|57)/;

/** Whether a query failed since its server is read-only. Other connections may reach the primary. */
export function isReadOnlyError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof DatabaseError ? error.code === readOnlyCode : isReadOnlyError(error.cause);
}

/** SQLSTATE of a transaction that the server has rolled back to end a deadlock. */
const deadlockCode = '40P01';

/**
 * Whether a query may succeed when it is repeated: the database was not available, or has ended a deadlock by rolling the
 * query back.
 */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.cause !== undefined) return isTransientError(error.cause);
  if (error instanceof DatabaseError) {
    const { code = '' } = error;
    return outageClasses.test(code) || code === deadlockCode || isReadOnlyError(error);
  }
  // A refused, lost or silent connection: the client has no class for it.
  return (
    /^(ECONN|EPIPE|ETIMEDOUT)/.test((error as NodeJS.ErrnoException).code ?? '') ||
    /^Connection terminated|^Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      error.message,
    )
  );
}
