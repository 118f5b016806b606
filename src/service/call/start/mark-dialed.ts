import { and, eq, sql } from 'drizzle-orm';
import type { CallPlan, Carrier, OutgoingCall } from '../../carrier/carrier.ts';
import { calls } from '../../db/calls-table.ts';
import type { Database } from '../../db/database.ts';
import { leaseEnd } from '../../lib/lease.ts';
import { newSecret } from '../../lib/new-secret.ts';
import { isOpen } from '../is-open.ts';
import { isWaiting } from './plan-call.ts';

/** The secrets of a call. */
export type CallTokens = Pick<CallPlan, 'token' | 'connectToken'>;

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

/** Lets a call that was marked as dialed wait again: the carrier has not dialed it. */
export async function unmarkDialed({ db }: Database, callId: number, { token }: CallTokens): Promise<void> {
  await db
    .update(calls)
    .set({ token: null, connectToken: null, dialedAt: null, leaseUntil: null, updatedAt: sql`now()` })
    .where(and(eq(calls.id, callId), eq(calls.token, token), isOpen));
}
