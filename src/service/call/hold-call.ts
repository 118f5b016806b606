import type { Carrier, OutgoingCall } from '../carrier/carrier.ts';
import type { CallEnd } from './call-parts.ts';
import { PhoneConversation } from './phone-conversation.ts';
import type { PhoneParts } from './phone-conversation.ts';

/** Longer than any carrier takes to say that a call has failed, in seconds. */
const connectSeconds = 30;

/**
 * Makes one call, from dialling to its end.
 *
 * @throws whatever the signal was aborted with, or what failed; the line is free in any case.
 */
export async function holdCall(
  carrier: Carrier,
  call: OutgoingCall,
  parts: Omit<PhoneParts, 'line'>,
): Promise<CallEnd> {
  const { book, signal } = parts;
  signal.throwIfAborted();
  const line = await carrier.place(call);
  const unreached = (status: CallEnd['status'], reason: string): CallEnd => ({
    status,
    reason,
    answeredBy: 'unknown',
    duration: 0,
    lines: [],
  });
  try {
    const latest = connectSeconds + call.ringingTime;
    for (;;) {
      const event = await line.next(Math.max(0, latest - line.now), signal);
      if (event?.type === 'ringing') await book.ringing();
      else if (event?.type === 'answered') {
        await book.answered(event.by);
        return await new PhoneConversation({ ...parts, line }).hold(event.by);
      } else if (event?.type === 'unreached') return unreached(event.reason, event.reason);
      else if (event === undefined || event.type === 'hung-up') return unreached('failed', 'no connection');
    }
  } finally {
    await line.hangUp();
  }
}
