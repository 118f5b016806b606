import { ChatError } from './chat-error.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** An error response of the service, with its message. */
export class ApiError extends ChatError {
  /** Validation errors by field, if the service sent them. Nested fields are joined with dots. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  /** Machine-readable error code, if the service sent one, such as `INSUFFICIENT_BALANCE` of `generateReply`. */
  readonly errorCode: string | undefined;

  constructor({ status, headers }: Pick<Response, 'status' | 'headers'>, body: unknown) {
    const {
      message,
      error,
      errors,
      error_code: errorCode,
      retry_after: retryAfter,
    } = (body ?? {}) as Record<string, unknown>;
    const text = [message, error].find((each) => typeof each === 'string' && each !== '');
    super(
      codeOf(status),
      (text as string | undefined) ?? `The service refused the request with status ${status}.`,
      {
        status,
        retryAfter: retryAfterSeconds(headers.get('Retry-After')) ?? retryAfterSeconds(retryAfter),
      },
    );
    this.errorCode = typeof errorCode === 'string' ? errorCode : undefined;
    this.fields = fieldErrors(errors);
  }
}

/** Most services send a list of messages per field; some send a single string. */
function fieldErrors(errors: unknown): Record<string, string[]> {
  const fields = typeof errors === 'object' && errors !== null ? Object.entries(errors) : [];
  return Object.fromEntries(
    fields.map(([name, messages]: [string, unknown]) => [
      name,
      [messages].flat().filter((each) => typeof each === 'string'),
    ]),
  );
}

function codeOf(status: number) {
  if (status === 422) return 'invalid-request';
  if (status === 429) return 'too-many-requests';
  return status >= 500 ? 'unavailable' : 'refused';
}
