import { inspect } from 'node:util';

/** The service was started or configured incorrectly. The message suffices; a stack would not help. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

/**
 * The text that the command line and the service print before they exit: the message of an {@link OperatorError}; of
 * other errors, the stack and the causes.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  if (error instanceof OperatorError) return error.message;
  const text = error.stack ?? error.message;
  return error.cause === undefined ? text : `${text}\nCause: ${describeFailure(error.cause)}`;
}
