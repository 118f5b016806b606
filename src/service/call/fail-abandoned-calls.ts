import { and, eq, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import type { Carrier } from '../carrier/carrier.ts';
import { calls } from '../db/calls-table.ts';
import { endCall, lostCall } from './end-call.ts';
import type { EndCallDependencies, EndedCall } from './end-call.ts';
import { endLostTransfer } from './end-lost-transfer.ts';
import { reportedEnd } from './reported-end.ts';
import { isOpen } from './take-call.ts';

export type AbandonedCallsParts = EndCallDependencies & {
  /** Undefined at the start, when no transfer is ended. */
  carrier?: Pick<Carrier, 'hangUpTransfer'>;
};

/** Maximum number of calls per run; the next run continues. */
const batchSize = 100;

/**
 * Ends the calls of processes that died, and those that the carrier neither connected nor reported in time, as failed;
 * the carrier is asked to hang up. An answered transfer whose end was not reported is completed, and a call whose end the
 * carrier has reported ends accordingly. Calls that nobody has dialed are left to their jobs.
 *
 * @param ignoreLeases also ends calls whose lease has not expired, except transfers, which may outlive their process;
 *   only safe if no other process can be running.
 * @returns the number of ended calls.
 */
export async function failAbandonedCalls(parts: AbandonedCallsParts, ignoreLeases = false): Promise<number> {
  const isAbandoned = and(
    isOpen,
    ignoreLeases
      ? and(isNotNull(calls.leaseUntil), isNull(calls.transferTo))
      : lte(calls.leaseUntil, sql`now()`),
  );
  const abandoned = await parts.database.db
    .select({
      id: calls.id,
      type: calls.type,
      answeredAt: calls.answeredAt,
      leaseOwner: calls.leaseOwner,
      transferTo: calls.transferTo,
      isTransferAnswered: calls.isTransferAnswered,
      carrierCallId: calls.carrierCallId,
      carrierSeconds: calls.carrierSeconds,
      lines: calls.lines,
    })
    .from(calls)
    .where(isAbandoned)
    .orderBy(calls.id)
    .limit(batchSize);
  let ended = 0;
  for (const call of abandoned) {
    const {
      id,
      type,
      answeredAt,
      leaseOwner,
      transferTo,
      isTransferAnswered,
      carrierCallId,
      carrierSeconds,
    } = call;
    const isReported = carrierSeconds !== null;
    if (transferTo !== null && carrierCallId !== null && !isReported && parts.carrier?.hangUpTransfer) {
      const lost = { id, carrierCallId, isTransferAnswered };
      if (await endLostTransfer({ ...parts, carrier: parts.carrier }, lost, isAbandoned)) ended += 1;
      continue;
    }
    const isLost = type === 'web' && answeredAt !== null && leaseOwner === null;
    // Not `not-started`, even if it did not ring yet: the number may have been dialed, and would be dialed again at once.
    const result: EndedCall = isReported
      ? reportedEnd(call)
      : isTransferAnswered
        ? { status: 'completed', reason: 'transfer' }
        : isLost
          ? lostCall
          : { status: 'failed', reason: leaseOwner === null ? 'not-reported' : 'service-stopped' };
    if (!(await endCall(parts, and(eq(calls.id, id), isAbandoned), result))) continue;
    ended += 1;
    if (carrierCallId !== null && !isReported) await parts.jobs.send('hang-up', { carrierCallId });
  }
  return ended;
}
