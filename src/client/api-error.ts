import { ChatError } from './errors.ts';
import { secondsUntil } from './retry-after.ts';

/** A refusal by the service, with the message that it sent. */
export class ApiError extends ChatError {
  /** Error messages by field, if the service sent them; nested fields with dots. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  /** Machine-readable reason, if the service sent one: `INSUFFICIENT_BALANCE` of `generateReply`. */
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
        retryAfter: secondsUntil(headers.get('Retry-After')) ?? secondsUntil(retryAfter),
      },
    );
    this.errorCode = typeof errorCode === 'string' ? errorCode : undefined;
    this.fields = fieldErrors(errors);
  }
}

/** Services send a list of messages for each field; some send a single one. */
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
