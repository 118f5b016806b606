import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import type { CallPlan, Carrier } from '../carrier/carrier.ts';
import { calls } from '../db/calls-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { conversations, ledgerEntries } from '../db/schema.ts';
import { leaseEnd } from '../lib/lease.ts';
import type { Lease } from '../lib/lease.ts';
import { newSecret } from '../lib/new-secret.ts';
import type { EarlierPart } from './call-parts.ts';
import { isWaiting } from './plan-call.ts';

/** A call as its carrier names it. */
export interface CallKey {
  callId: number;
  token: string;
}

/** The secrets of a call. */
export type CallTokens = Pick<CallPlan, 'token' | 'connectToken'>;

/** A connection of a call, as its carrier makes it. Web calls have no carrier. */
export type ConnectedCall = CallKey & { connectToken?: string; carrierCallId: string | null };

/** Matches a call by its secret, too, so that nobody else can act on it. */
export const isKeyed = ({ callId, token }: CallKey) => and(eq(calls.id, callId), eq(calls.token, token));

export const isOpen = inArray(calls.status, openCallStatuses);

/** Seconds in addition to the ringing time within which the carrier connects a call or reports that it does not. */
const connectSeconds = 30;

/** Milliseconds within which a call that is being dialed is connected, or reported. */
export const answerMs = (
  { carrier, leaseMs }: { carrier: Pick<Carrier, 'secondMs'>; leaseMs: number },
  ringingTime: number,
): number => Math.max((ringingTime + connectSeconds) * carrier.secondMs, leaseMs);

/**
 * Marks a waiting call as dialed, before it is: if the process dies in between, the number is not dialed again.
 *
 * @param milliseconds the time within which the carrier connects the call or reports that it does not.
 * @returns the call's secrets; undefined if the call is no longer waiting.
 */
export async function markDialed(
  { db }: Database,
  callId: number,
  milliseconds: number,
): Promise<CallTokens | undefined> {
  const [dialed] = await db
    .update(calls)
    .set({
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

/** Allows the carrier another connection of a call. Returns the secret of the one that has not been made. */
export async function allowConnection(queries: Queries, callId: number): Promise<string> {
  const [allowed] = await queries
    .update(calls)
    .set({ connectToken: sql`coalesce(${calls.connectToken}, ${newSecret()})` })
    .where(eq(calls.id, callId))
    .returning({ connectToken: sql<string>`${calls.connectToken}` });
  if (!allowed) throw new Error('The call was deleted.');
  return allowed.connectToken;
}

/** A carrier connects the call that it has dialed or received, and each time with a secret of its own. */
const isConnectable = ({ connectToken, carrierCallId }: ConnectedCall) =>
  carrierCallId === null
    ? undefined
    : and(
        eq(calls.connectToken, connectToken ?? ''),
        or(isNull(calls.carrierCallId), eq(calls.carrierCallId, carrierCallId)),
      );

/** A call that this process has taken, and what an earlier line of it has left. */
export interface TakenCall {
  call: typeof calls.$inferSelect;
  earlier: EarlierPart | undefined;
}

/**
 * Takes a connected call for this process, also from the process that had an earlier line of it: that one is gone.
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
      // The connection may come after the report that the call is over.
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
        // Machines do not call.
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
  { id, conversationId, lines, duration, transferTo }: typeof calls.$inferSelect,
): Promise<EarlierPart> {
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
    lines,
    elapsed,
    // The ledger has no minutes of a free call, which are counted all the same.
    chargedMinutes:
      found?.isFree === true ? Math.ceil((duration || elapsed) / 60) : (found?.chargedMinutes ?? 0),
    occasion: transferTo === null ? 'reconnected' : 'transfer-unanswered',
  };
}
