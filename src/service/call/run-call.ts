import type { Line } from '../carrier/carrier.ts';
import type { CallResult } from './call-parts.ts';
import { PhoneConversation } from './phone-conversation.ts';
import type { PhoneConversationParts } from './phone-conversation.ts';

/** Seconds in addition to the ringing time after which a call that is still not connected has failed. */
const connectTimeout = 30;

/**
 * Runs a call from dialing, or from its connection if it is inbound, to its end. Always hangs up, also after an error.
 *
 * @param open dials, or returns the line of an inbound call.
 * @param ringingTime in seconds.
 * @throws the signal's abort reason, or any error during the call.
 */
export async function runCall(
  open: () => Promise<Line>,
  ringingTime: number,
  parts: Omit<PhoneConversationParts, 'line'>,
): Promise<CallResult> {
  const { callLog, signal } = parts;
  signal.throwIfAborted();
  const line = await open();
  const unreached = (status: CallResult['status'], reason: string): CallResult => ({
    status,
    reason,
    answeredBy: 'unknown',
    duration: 0,
    lines: [],
  });
  try {
    const latest = connectTimeout + ringingTime;
    for (;;) {
      const event = await line.next(Math.max(0, latest - line.now), signal);
      if (event?.type === 'ringing') await callLog.ringing();
      else if (event?.type === 'answered') {
        await callLog.answered(event.by);
        return await new PhoneConversation({ ...parts, line }).run(event.by);
      } else if (event?.type === 'unreached') return unreached(event.reason, event.reason);
      else if (event === undefined || event.type === 'hung-up') return unreached('failed', 'no connection');
    }
  } finally {
    await line.hangUp();
  }
}
