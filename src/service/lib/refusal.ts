import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** Error messages by field; nested fields have paths with dots (`tools.0.type`). */
export type FieldErrors = Record<string, string[]>;

/** An error of an endpoint that requires a key, with its body in the interface. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: ContentfulStatusCode;
  readonly body: Record<string, unknown>;

  constructor(status: ContentfulStatusCode, body: Record<string, unknown>, options?: ErrorOptions) {
    super(String(body['message'] ?? body['error']), options);
    this.status = status;
    this.body = body;
  }

  /** The record is missing or another user's; the response does not say which. */
  static notFound(record: string): Refusal {
    return new Refusal(404, { message: `${record} not found.` });
  }

  /** Like {@link notFound}, for knowledge bases, documents and phone numbers, whose errors have another format. */
  static notFoundError(record: string): Refusal {
    return new Refusal(404, { error: `${record} not found.` });
  }

  /** Fields are invalid. The message is the first error. */
  static invalid(errors: FieldErrors, options?: ErrorOptions): Refusal {
    const message = Object.values(errors)[0]?.[0] ?? 'The given data was invalid.';
    return new Refusal(422, { message, errors }, options);
  }

  /** One field is invalid. */
  static invalidField(field: string, message: string, options?: ErrorOptions): Refusal {
    return Refusal.invalid({ [field]: [message] }, options);
  }
}

/** Writes an error as a sentence about a field: `The max duration field must be …`. */
export function sentence(field: string, rest: string): string {
  return rest.startsWith('selected ')
    ? `The selected ${readable(field)} ${rest.slice('selected '.length)}`
    : `The ${readable(field)} field ${rest}`;
}

const readable = (field: string) => field.replaceAll('_', ' ');
