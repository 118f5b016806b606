import { setTimeout as pause } from 'node:timers/promises';
import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import { endCall, lostCall } from '../call/outcome/end-call.ts';
import type { EndCallDependencies } from '../call/outcome/end-call.ts';
import { isOpen } from '../call/is-open.ts';
import { calls } from '../db/calls-table.ts';

/** Time in which a visitor can connect again, in milliseconds. */
const reconnectMs = 10_000;

/** Matches calls whose connection was lost, so that no process has them. */
const isLost = and(eq(calls.type, 'web'), isOpen, isNotNull(calls.answeredAt), isNull(calls.leaseOwner));

/**
 * Ends a call whose connection was lost, unless its visitor connects again within ten seconds. Does nothing if the call
 * is not lost.
 *
 * @param stopping aborted when this process stops. The visitor can then connect to another one; an embedded database has
 *   no other.
 */
export async function endLostCall(
  dependencies: EndCallDependencies,
  callId: number,
  stopping: AbortSignal,
): Promise<void> {
  const endLost = await prepareLostEnd(dependencies, callId);
  if (!endLost) return;
  await pause(reconnectMs, undefined, { signal: stopping }).catch(() => undefined);
  if (!stopping.aborted || dependencies.database.kind === 'pglite') await endLost();
}

/**
 * Reads how a call lost its connection.
 *
 * @returns a function that ends the call unless the visitor has reconnected since, even if that connection was lost,
 *   too; undefined if the connection is not lost.
 */
export async function prepareLostEnd(
  dependencies: EndCallDependencies,
  callId: number,
): Promise<(() => Promise<boolean>) | undefined> {
  const isCall = and(eq(calls.id, callId), isLost);
  const [loss] = await dependencies.database.db
    .select({ leaseUntil: calls.leaseUntil })
    .from(calls)
    .where(isCall);
  if (loss?.leaseUntil == null) return undefined;
  // A later loss has another lease.
  const isSameLoss = and(isCall, eq(calls.leaseUntil, loss.leaseUntil));
  return () => endCall(dependencies, isSameLoss, lostCall);
}
