import { and, eq, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Carrier } from '../../carrier/carrier.ts';
import { calls } from '../../db/calls-table.ts';
import { leaseEnd } from '../../lib/lease.ts';
import { maxCallSeconds } from './charge-transfer.ts';
import { endCall } from '../outcome/end-call.ts';
import type { EndCallDependencies } from '../outcome/end-call.ts';
import { endReportedCall } from '../outcome/handle-report.ts';

type LostTransfer = Pick<typeof calls.$inferSelect, 'id' | 'isTransferAnswered'> & { carrierCallId: string };

/** Time until another attempt if the carrier cannot be reached, in milliseconds. */
const retryMs = 30_000;

/**
 * Ends a transferred call whose process has died, and charges for its minutes: until now if it was still connected,
 * otherwise until the last update by its process. If the other phone was still ringing, the call has failed.
 *
 * @param isAbandoned the call must also match it.
 * @returns whether the call was ended; if not, another process is ending it.
 * @throws the carrier's error if it could not hang up, unless the call has exceeded the carrier's maximum duration and
 *   has therefore ended.
 */
export async function endLostTransfer(
  dependencies: EndCallDependencies & { hangUpTransfer: NonNullable<Carrier['hangUpTransfer']> },
  { id, carrierCallId, isTransferAnswered }: LostTransfer,
  isAbandoned: SQL | undefined,
): Promise<boolean> {
  const { db } = dependencies.database;
  const isThis = eq(calls.id, id);
  const [claimed] = await db
    .update(calls)
    .set({ leaseUntil: leaseEnd(retryMs) })
    .where(and(isThis, isAbandoned))
    .returning({
      isOver: sql<boolean>`${calls.answeredAt} < now() - make_interval(secs => ${maxCallSeconds})`,
    });
  if (!claimed) return false;
  const wasConnected = await dependencies.hangUpTransfer(carrierCallId).catch((error: unknown) => {
    if (claimed.isOver) return false;
    throw error;
  });
  if (wasConnected && !isTransferAnswered) {
    return endCall(dependencies, isThis, { status: 'failed', reason: 'service-stopped' });
  }
  const end = wasConnected ? sql`now()` : calls.updatedAt;
  const seconds = sql<number>`ceil(extract(epoch FROM ${end} - ${calls.answeredAt}))::integer`;
  await db
    .update(calls)
    .set({ carrierSeconds: sql`greatest(${calls.carrierSeconds}, ${seconds})` })
    .where(isThis);
  await endReportedCall(dependencies, id);
  return true;
}
