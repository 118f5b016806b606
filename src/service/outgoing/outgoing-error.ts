/** Reasons for the failure of an outgoing request. */
export type OutgoingErrorCode =
  'bad-url' | 'refused-address' | 'unreachable' | 'timeout' | 'too-large' | 'too-many-redirects';

/** An outgoing request failed. The message contains neither the address nor data of the request. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';
  readonly code: OutgoingErrorCode;

  constructor(code: OutgoingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.code === 'timeout' || this.code === 'unreachable';
  }
}
