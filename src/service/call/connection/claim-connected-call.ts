import { and, eq, isNull, or, sql } from 'drizzle-orm';
import { calls } from '../../db/calls-table.ts';
import type { Database } from '../../db/database.ts';
import { leaseEnd } from '../../lib/lease.ts';
import type { Lease } from '../../lib/lease.ts';
import { isKeyed } from '../call-key.ts';
import type { CallKey } from '../call-key.ts';
import type { CallProgress } from '../store/call-store.ts';
import { isOpen } from '../is-open.ts';

/** A new connection of a call. Web calls have no carrier. */
export type ConnectedCall = CallKey & { connectToken?: string; carrierCallId: string | null };

/** A carrier can only connect its own call, and needs a new secret for each connection. */
const isConnectable = ({ connectToken, carrierCallId }: ConnectedCall) =>
  carrierCallId === null
    ? undefined
    : and(
        eq(calls.connectToken, connectToken ?? ''),
        or(isNull(calls.carrierCallId), eq(calls.carrierCallId, carrierCallId)),
      );

/** A call that this process has claimed, and the state that an earlier line left. */
export interface ClaimedCall {
  call: typeof calls.$inferSelect;
  earlier: CallProgress | undefined;
}

/**
 * Claims a connected call for this process, with a lease. An earlier line of the call has ended, even if another process
 * had it.
 *
 * @returns undefined if there is no such open call, or its carrier has reported its end.
 */
export async function claimConnectedCall(
  { db }: Database,
  key: ConnectedCall,
  lease: Lease,
): Promise<ClaimedCall | undefined> {
  return db.transaction(async (tx) => {
    const [found] = await tx
      .select({ call: calls, seconds: sql<number>`extract(epoch FROM now() - ${calls.answeredAt})::float` })
      .from(calls)
      // The connection may arrive after the report that the call is over.
      .where(and(isKeyed(key), isConnectable(key), isOpen, isNull(calls.carrierSeconds)))
      .for('update');
    if (!found) return undefined;
    const { call, seconds } = found;
    await tx
      .update(calls)
      .set({
        status: 'in-progress',
        answeredAt: sql`coalesce(${calls.answeredAt}, now())`,
        carrierCallId: key.carrierCallId,
        connectToken: null,
        transferTo: null,
        isTransferAnswered: false,
        lostConnections: 0,
        // Inbound callers count as human.
        ...(call.type === 'inbound' && { answeredBy: 'human' as const }),
        leaseOwner: lease.owner,
        leaseUntil: leaseEnd(lease.milliseconds),
        updatedAt: sql`now()`,
      })
      .where(eq(calls.id, call.id));
    return { call, earlier: call.answeredAt === null ? undefined : progressOf(call, seconds) };
  });
}

/** @param seconds since the call was answered. */
const progressOf = (
  { messages, duration, transferTo, chargedMinutes }: typeof calls.$inferSelect,
  seconds: number,
): CallProgress => ({
  messages,
  // A process that died has not stored the duration.
  elapsed: Math.max(duration, seconds),
  chargedMinutes,
  reason: transferTo === null ? 'reconnected' : 'transfer-unanswered',
});
