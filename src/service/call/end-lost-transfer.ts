import { and, eq, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Carrier } from '../carrier/carrier.ts';
import { calls } from '../db/calls-table.ts';
import { leaseEnd } from '../lib/lease.ts';
import { endCall } from './end-call.ts';
import type { EndCallDependencies } from './end-call.ts';
import { endReportedCall } from './handle-report.ts';

type LostTransfer = Pick<typeof calls.$inferSelect, 'id' | 'isTransferAnswered'> & { carrierCallId: string };

/** Time until another attempt if the carrier cannot be reached, in milliseconds. */
const retryMs = 30_000;

/**
 * Ends a transferred call whose process has died, and charges for its minutes: until now if it was still connected, or
 * else until the last sign of its process. If the other phone was still ringing, the call has failed.
 *
 * @param isAbandoned the call must also match it.
 * @returns whether the call was ended; if not, its carrier could not be reached, or another process is ending it.
 */
export async function endLostTransfer(
  dependencies: EndCallDependencies & { carrier: Pick<Carrier, 'hangUpTransfer'> },
  { id, carrierCallId, isTransferAnswered }: LostTransfer,
  isAbandoned: SQL | undefined,
): Promise<boolean> {
  const { db } = dependencies.database;
  const isThis = eq(calls.id, id);
  const [claimed] = await db
    .update(calls)
    .set({ leaseUntil: leaseEnd(retryMs) })
    .where(and(isThis, isAbandoned))
    .returning({ id: calls.id });
  if (!claimed) return false;
  const wasConnected = await dependencies.carrier.hangUpTransfer?.(carrierCallId).catch(() => undefined);
  if (wasConnected === undefined) return false;
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
