import { OutgoingError } from '../../outgoing/outgoing-error.ts';

/**
 * A server that is overloaded or out of order may answer next time.
 *
 * @throws OutgoingError if the status says that.
 */
export function refuseForNow(status: number): void {
  if (status < 500 && status !== 408 && status !== 425 && status !== 429) return;
  throw new OutgoingError('unreachable', `the website answered with the status ${status}`);
}
