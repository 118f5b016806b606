import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** Why fields were refused: field by field, nested ones with dots (`tools.0.type`), every sentence that holds. */
export type FieldErrors = Record<string, string[]>;

/** A refusal of an operation of the owner, with the body that the interface gives it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: ContentfulStatusCode;
  readonly body: Record<string, unknown>;

  constructor(status: ContentfulStatusCode, body: Record<string, unknown>, options?: ErrorOptions) {
    super(String(body['message'] ?? body['error']), options);
    this.status = status;
    this.body = body;
  }

  /** A record that is missing or another user's, which nobody can tell apart. */
  static notFound(what: string): Refusal {
    return new Refusal(404, { message: `${what} not found.` });
  }

  /** The same for knowledge bases, documents and phone numbers, whose errors have another shape. */
  static notFoundError(what: string): Refusal {
    return new Refusal(404, { error: `${what} not found.` });
  }

  /** Fields that are wrong. The message is the first error. */
  static invalid(errors: FieldErrors, options?: ErrorOptions): Refusal {
    const message = Object.values(errors)[0]?.[0] ?? 'The given data was invalid.';
    return new Refusal(422, { message, errors }, options);
  }

  /** One field that is wrong. */
  static invalidField(field: string, message: string, options?: ErrorOptions): Refusal {
    return Refusal.invalid({ [field]: [message] }, options);
  }
}

/** `The max duration field must be …`: a field's name as people read it. */
export function sentence(field: string, rest: string): string {
  return rest.startsWith('selected ')
    ? `The selected ${readable(field)} ${rest.slice('selected '.length)}`
    : `The ${readable(field)} field ${rest}`;
}

const readable = (field: string) => field.replaceAll('_', ' ');
