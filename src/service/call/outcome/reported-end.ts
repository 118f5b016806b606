import type { calls } from '../../db/calls-table.ts';
import type { EndedCall } from './end-call.ts';
import { hangUpStatus } from './hang-up-status.ts';

type ReportedCall = Pick<
  typeof calls.$inferSelect,
  'answeredAt' | 'transferTo' | 'isTransferAnswered' | 'messages' | 'carrierSeconds'
>;

/**
 * Returns the end of a call that the carrier reported while no process owned it: the call was never connected, was
 * transferred, or lost its connection.
 */
export function reportedEnd({
  answeredAt,
  transferTo,
  isTransferAnswered,
  messages,
  carrierSeconds,
}: ReportedCall): EndedCall {
  if (answeredAt === null) return { status: 'failed', reason: 'no-connection' };
  if (isTransferAnswered) return { status: 'completed', reason: 'transfer' };
  // A customer who hangs up while the other phone rings has got no answer.
  const status = transferTo === null ? hangUpStatus(messages) : 'ended_by_customer';
  return { status, reason: 'hung-up', duration: carrierSeconds ?? 0 };
}
