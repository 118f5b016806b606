import type { EndReason } from '../../../contract/call.ts';

/** Thrown if a call cannot continue: a minute could not be charged, or the call has been ended or deleted elsewhere. */
export class MustEndError extends Error {
  readonly reason: EndReason;

  constructor(reason: EndReason) {
    super(`The call must end: ${reason}`);
    this.reason = reason;
  }
}
