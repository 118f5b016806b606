import { ChatError } from './errors.ts';

/** A refusal of the interface for owners, in the service's own words. */
export class ApiError extends ChatError {
  /** What is wrong with which field, where the service says so; nested ones with dots. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  /** What happened, for programs, where the service says so: `INSUFFICIENT_BALANCE` of a reply that was asked for. */
  readonly errorCode: string | undefined;

  constructor(status: number, body: unknown) {
    const {
      message,
      error,
      errors,
      error_code: errorCode,
      retry_after: retryAfter,
    } = (body ?? {}) as Record<string, unknown>;
    const words = [message, error].find((text) => typeof text === 'string' && text !== '');
    super(codeOf(status), (words as string | undefined) ?? `The service refused with the status ${status}.`, {
      status,
      retryAfter: typeof retryAfter === 'number' ? retryAfter : undefined,
    });
    this.errorCode = typeof errorCode === 'string' ? errorCode : undefined;
    this.fields = (errors ?? {}) as Record<string, string[]>;
  }
}

function codeOf(status: number) {
  if (status === 422) return 'invalid-request';
  if (status === 429) return 'too-many-requests';
  return status >= 500 ? 'unavailable' : 'refused';
}
