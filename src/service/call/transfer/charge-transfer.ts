import { and, desc, eq, sql } from 'drizzle-orm';
import { recordLimits } from '../../../contract/limits.ts';
import { callMinutePrice } from '../../billing/prices.ts';
import { calls } from '../../db/calls-table.ts';
import { assistants, ledgerEntries } from '../../db/schema.ts';
import { chargeMinutes } from '../charging/charge-minutes.ts';
import type { EndCallDependencies } from '../outcome/end-call.ts';
import { hangUpMargin } from '../start/plan-line.ts';

/** Ringing time of a transfer, in seconds. */
export const transferRinging = 30;

/** Carriers end a call after its maximum duration, a margin and the times that phones may ring, in seconds. */
export const maxCallSeconds =
  recordLimits.assistant.maxDuration.max +
  hangUpMargin +
  recordLimits.assistant.ringingTime.max +
  transferRinging;

/**
 * Charges for the minutes of a transferred call, as far as the balance covers them. No process owns the call during
 * the transfer, so the carrier's duration counts. The assistant's maximum may have changed since. Repeated calls charge
 * nothing.
 *
 * @param seconds the duration of the whole call.
 */
export async function chargeTransfer(
  { database, jobs }: EndCallDependencies,
  callId: number,
  seconds: number,
): Promise<void> {
  await database.db.transaction(async (tx) => {
    const [call] = await tx.select().from(calls).where(eq(calls.id, callId)).for('update');
    if (!call || call.status === 'failed') return;
    const [assistant] = await tx
      .select()
      .from(assistants)
      .where(eq(assistants.id, call.assistantId ?? 0));
    if (!assistant) return;
    const charged = await tx
      .select({ amount: sql<string>`(-${ledgerEntries.amount})::text` })
      .from(ledgerEntries)
      .where(and(eq(ledgerEntries.callId, callId), eq(ledgerEntries.kind, 'charge')))
      .orderBy(desc(ledgerEntries.callMinute));
    const duration = Math.min(Math.ceil(seconds), maxCallSeconds);
    const minutes = Array.from({ length: Math.ceil(duration / 60) }, (_, index) => index + 1);
    await chargeMinutes(
      { tx, jobs },
      {
        userId: call.userId,
        assistantId: assistant.id,
        callId,
        duration,
        minutes: minutes.slice(charged.length),
        // The assistant's mode may have changed during the call.
        amount: charged[0]?.amount ?? callMinutePrice(assistant.mode),
      },
    );
  });
}
