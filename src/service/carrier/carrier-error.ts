/**
 * Why a carrier refuses a call; stored as its `end_reason`. `failed` concerns only this call. With the other reasons,
 * later calls would be refused, too: those with the same caller ID, or all.
 */
export type DialRefusal = 'failed' | 'no-caller-id' | 'carrier-account';

/** The carrier refused a request. The message can be shown to the account's owner. */
export class CarrierError extends Error {
  override readonly name = 'CarrierError';
  readonly reason: DialRefusal;

  constructor(
    message: string,
    { reason = 'failed', ...options }: ErrorOptions & { reason?: DialRefusal | undefined } = {},
  ) {
    super(message, options);
    this.reason = reason;
  }
}
