import { and, count, eq, sql } from 'drizzle-orm';
import { callMinutePrice } from '../billing/prices.ts';
import { calls } from '../db/calls-table.ts';
import { assistants, ledgerEntries } from '../db/schema.ts';
import { chargeMinute } from './charge-minute.ts';
import type { EndCallDependencies } from './end-call.ts';
import { transferRinging } from './stored-call-log.ts';

/**
 * Charges for the minutes of a transferred call, as far as the balance covers them. No process owns the call during
 * the transfer, so the carrier's duration counts. Repeated calls charge nothing.
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
    const [charged] = await tx
      .select({ minutes: count() })
      .from(ledgerEntries)
      .where(and(eq(ledgerEntries.callId, callId), eq(ledgerEntries.kind, 'charge')));
    const duration = Math.min(Math.ceil(seconds), assistant.maxDuration + transferRinging);
    const amount = callMinutePrice(assistant.mode);
    const { userId } = call;
    for (let minute = (charged?.minutes ?? 0) + 1; minute <= Math.ceil(duration / 60); minute++) {
      const isPaid = await chargeMinute(
        { tx, jobs },
        { userId, assistantId: assistant.id, callId, minute, amount },
      );
      if (!isPaid) break;
    }
    await tx
      .update(calls)
      .set({ duration: sql`greatest(${calls.duration}, ${duration}::integer)` })
      .where(eq(calls.id, callId));
  });
}
