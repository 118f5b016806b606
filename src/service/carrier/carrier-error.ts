/** Connection errors that prove that the request was not sent. */
export const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']);

/**
 * Why a carrier refuses a call; stored as its `end_reason`. `failed` concerns only this call, and `carrier-error` is a
 * fault of the carrier or of its settings. With the other reasons, later calls would certainly be refused, too: those with
 * the same caller ID, or all.
 */
export type DialRefusal = 'failed' | 'carrier-error' | 'no-caller-id' | 'carrier-account';

/** The carrier refused a request. The message can be shown to the account's owner. */
export class CarrierError extends Error {
  override readonly name = 'CarrierError';
  readonly reason: DialRefusal;
  /** Whether the same request may succeed later: the carrier cannot be reached, or has too many requests. */
  readonly isTemporary: boolean;

  constructor(
    message: string,
    {
      reason = 'failed',
      isTemporary = false,
      ...options
    }: ErrorOptions & { reason?: DialRefusal | undefined; isTemporary?: boolean } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.isTemporary = isTemporary;
  }
}
