import { and, eq, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { EndReason } from '../../../contract/call.ts';
import type { Carrier } from '../../carrier/carrier.ts';
import { calls } from '../../db/calls-table.ts';
import { endCall, lostCall } from './end-call.ts';
import type { EndCallDependencies, EndedCall } from './end-call.ts';
import { endLostTransfer } from '../transfer/end-lost-transfer.ts';
import { reportedEnd } from './reported-end.ts';
import { isOpen } from '../is-open.ts';

export type AbandonedCallsDependencies = EndCallDependencies & {
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
 * @param before the time by which their leases have expired. `any` also ends calls whose lease has not expired, except
 *   transfers, which may outlive their process; only safe if no other process can be running.
 * @returns the number of ended calls, how many of them a dead process had owned, and how many the carrier did not report.
 * @throws AggregateError if the carrier could not end some transfers, after all other calls. The next run retries them.
 */
export async function failAbandonedCalls(
  dependencies: AbandonedCallsDependencies,
  before: SQL | 'any' = sql`now()`,
): Promise<{ ended: number; ofDeadProcesses: number; unreported: number }> {
  const { carrier } = dependencies;
  const isAbandoned = and(
    isOpen,
    before === 'any'
      ? and(isNotNull(calls.leaseUntil), isNull(calls.transferTo))
      : lte(calls.leaseUntil, before),
  );
  const abandoned = await dependencies.database.db
    .select({
      id: calls.id,
      type: calls.type,
      answeredAt: calls.answeredAt,
      leaseOwner: calls.leaseOwner,
      transferTo: calls.transferTo,
      isTransferAnswered: calls.isTransferAnswered,
      carrierCallId: calls.carrierCallId,
      carrierSeconds: calls.carrierSeconds,
      endReason: calls.endReason,
      messages: calls.messages,
    })
    .from(calls)
    .where(isAbandoned)
    .orderBy(calls.id)
    .limit(batchSize);
  let ended = 0;
  let ofDeadProcesses = 0;
  let unreported = 0;
  const transfers: Promise<boolean>[] = [];
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
    if (transferTo !== null && carrierCallId !== null && !isReported && carrier?.hangUpTransfer) {
      const hangUpTransfer = carrier.hangUpTransfer.bind(carrier);
      const lost = { id, carrierCallId, isTransferAnswered };
      // All at once: a carrier that does not respond must not delay the other tasks of the round.
      transfers.push(endLostTransfer({ ...dependencies, hangUpTransfer }, lost, isAbandoned));
      continue;
    }
    const isLost = type === 'web' && answeredAt !== null && leaseOwner === null;
    // Not `not-started`, even if it has not rung yet: the number may have been dialed, and would be dialed again.
    const result: EndedCall = isReported
      ? reportedEnd(call)
      : isTransferAnswered
        ? { status: 'completed', reason: 'transfer' }
        : isLost
          ? lostCall
          : { status: 'failed', reason: failureOf(call) };
    if (!(await endCall(dependencies, and(eq(calls.id, id), isAbandoned), result))) continue;
    ended += 1;
    if (leaseOwner !== null) ofDeadProcesses += 1;
    else if (type !== 'web' && !isReported) unreported += 1;
    if (carrierCallId !== null && !isReported) await dependencies.jobs.send('hang-up', { carrierCallId });
  }
  const results = await Promise.allSettled(transfers);
  const failed = results.filter((result) => result.status === 'rejected');
  if (failed.length > 0) {
    throw new AggregateError(
      failed.map(({ reason }) => reason as unknown),
      'The carrier could not end transferred calls.',
    );
  }
  const endedTransfers = results.filter((result) => result.status === 'fulfilled' && result.value).length;
  return { ended: ended + endedTransfers, ofDeadProcesses: ofDeadProcesses + endedTransfers, unreported };
}

/** Why an abandoned call has failed. `endReason` is stored before if the carrier's response to the dialing was an error. */
function failureOf({
  leaseOwner,
  carrierCallId,
  endReason,
}: Pick<typeof calls.$inferSelect, 'leaseOwner' | 'carrierCallId' | 'endReason'>): EndReason {
  if (leaseOwner !== null) return 'service-stopped';
  return carrierCallId === null && endReason !== null ? endReason : 'not-reported';
}
