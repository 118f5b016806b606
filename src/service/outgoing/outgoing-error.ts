/** Why a request to somebody else's server came to nothing. */
export type OutgoingErrorCode =
  'bad-url' | 'refused-address' | 'unreachable' | 'timeout' | 'too-large' | 'too-many-redirects';

/** Such a request failed. The message names neither the address nor anything that was sent along. */
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
