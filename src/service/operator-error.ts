/** The service was started or configured incorrectly. The message suffices; a stack would not help. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

/** The text that the command line and the service print before they exit: the message, or a stack where one helps. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof OperatorError ? error.message : (error.stack ?? error.message);
}
