import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import type { CallPlan, Carrier, OutgoingCall } from '../carrier/carrier.ts';
import { calls } from '../db/calls-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { conversations, ledgerEntries } from '../db/schema.ts';
import { leaseEnd } from '../lib/lease.ts';
import type { Lease } from '../lib/lease.ts';
import { newSecret } from '../lib/new-secret.ts';
import type { CallProgress } from './call-store.ts';
import { isWaiting } from './plan-call.ts';

/** A call's id and secret, as its carrier sends them. */
export interface CallKey {
  callId: number;
  token: string;
}

/** The secrets of a call. */
export type CallTokens = Pick<CallPlan, 'token' | 'connectToken'>;

/** A new connection of a call. Web calls have no carrier. */
export type ConnectedCall = CallKey & { connectToken?: string; carrierCallId: string | null };

/** Matches a call by id and secret, so that only its carrier can act on it. */
export const isKeyed = ({ callId, token }: CallKey) => and(eq(calls.id, callId), eq(calls.token, token));

export const isOpen = inArray(calls.status, openCallStatuses);

/** Seconds after the ringing time within which the carrier connects a call or reports a failure. */
const connectSeconds = 30;

/** Milliseconds within which a dialed call is connected or reported. */
export const answerMs = (
  { carrier, leaseMs }: { carrier: Pick<Carrier, 'secondMs'>; leaseMs: number },
  ringingTime: number,
): number => Math.max((ringingTime + connectSeconds) * carrier.secondMs, leaseMs);

/**
 * Marks a waiting call as dialed before it is dialed: if the process dies in between, the number is not dialed again.
 *
 * @param call.from the caller ID that is displayed.
 * @param milliseconds the time within which the carrier connects the call or reports a failure.
 * @returns the call's secrets; undefined if the call is no longer waiting.
 */
export async function markDialed(
  { db }: Database,
  { callId, from }: Pick<OutgoingCall, 'callId' | 'from'>,
  milliseconds: number,
): Promise<CallTokens | undefined> {
  const [dialed] = await db
    .update(calls)
    .set({
      assistantPhoneNumber: from,
      token: newSecret(),
      connectToken: newSecret(),
      dialedAt: sql`now()`,
      leaseUntil: leaseEnd(milliseconds),
      updatedAt: sql`now()`,
    })
    .where(isWaiting(callId))
    .returning({ token: sql<string>`${calls.token}`, connectToken: sql<string>`${calls.connectToken}` });
  return dialed;
}

/** Seconds within which a carrier reports or connects a call that no process owns. */
export const reconnectSeconds = 60;

/**
 * Allows the carrier to connect a call, even if its process died and the lease expires before the call is connected.
 *
 * @param options.wasLost whether the call's connection was lost. Such connections are counted until one succeeds.
 * @returns the secret of the pending connection.
 */
export async function allowConnection(
  queries: Queries,
  callId: number,
  { wasLost = false }: { wasLost?: boolean } = {},
): Promise<string> {
  const [allowed] = await queries
    .update(calls)
    .set({
      connectToken: sql`coalesce(${calls.connectToken}, ${newSecret()})`,
      leaseUntil: sql`greatest(${calls.leaseUntil}, ${leaseEnd(reconnectSeconds * 1000)})`,
      ...(wasLost && { lostConnections: sql`${calls.lostConnections} + 1` }),
    })
    .where(eq(calls.id, callId))
    .returning({ connectToken: sql<string>`${calls.connectToken}` });
  if (!allowed) throw new Error('The call was deleted.');
  return allowed.connectToken;
}

/** A carrier can only connect its own call, and needs a new secret for each connection. */
const isConnectable = ({ connectToken, carrierCallId }: ConnectedCall) =>
  carrierCallId === null
    ? undefined
    : and(
        eq(calls.connectToken, connectToken ?? ''),
        or(isNull(calls.carrierCallId), eq(calls.carrierCallId, carrierCallId)),
      );

/** A call that this process has taken, and the state that an earlier line left. */
export interface TakenCall {
  call: typeof calls.$inferSelect;
  earlier: CallProgress | undefined;
}

/**
 * Takes a connected call for this process. An earlier line of the call has ended, even if another process had it.
 *
 * @returns undefined if there is no such open call, or its carrier has reported its end.
 */
export async function takeCall(
  { db }: Database,
  key: ConnectedCall,
  lease: Lease,
): Promise<TakenCall | undefined> {
  return db.transaction(async (tx) => {
    const [call] = await tx
      .select()
      .from(calls)
      // The connection may arrive after the report that the call is over.
      .where(and(isKeyed(key), isConnectable(key), isOpen, isNull(calls.carrierSeconds)))
      .for('update');
    if (!call) return undefined;
    const earlier = call.answeredAt === null ? undefined : await readEarlier(tx, call);
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
    return { call, earlier };
  });
}

async function readEarlier(
  tx: Queries,
  { id, conversationId, messages, duration, transferTo }: typeof calls.$inferSelect,
): Promise<CallProgress> {
  const [found] = await tx
    .select({
      seconds: sql<number>`(SELECT extract(epoch FROM now() - ${calls.answeredAt})::float FROM ${calls} WHERE ${calls.id} = ${id})`,
      chargedMinutes: sql<number>`count(*)::integer`,
      isFree: sql<boolean>`EXISTS (SELECT 1 FROM ${conversations} WHERE ${conversations.id} = ${conversationId}
        AND ${conversations.type} = 'test')`,
    })
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.callId, id), eq(ledgerEntries.kind, 'charge')));
  // A process that died has not stored the duration.
  const elapsed = Math.max(duration, found?.seconds ?? 0);
  return {
    messages,
    elapsed,
    // Minutes of a free call are counted although they are not in the ledger.
    chargedMinutes:
      found?.isFree === true ? Math.ceil((duration || elapsed) / 60) : (found?.chargedMinutes ?? 0),
    reason: transferTo === null ? 'reconnected' : 'transfer-unanswered',
  };
}
