import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import type { AnsweredBy, CallReport, Carrier } from '../../carrier/carrier.ts';
import { calls } from '../../db/calls-table.ts';
import { assistants } from '../../db/schema.ts';
import { leaseEnd } from '../../lib/lease.ts';
import { newSecret } from '../../lib/new-secret.ts';
import { Refusal } from '../../lib/refusal.ts';
import { chargeTransfer } from '../transfer/charge-transfer.ts';
import { endCall } from './end-call.ts';
import type { EndCallDependencies } from './end-call.ts';
import { reportedEnd } from './reported-end.ts';
import { isKeyed } from '../call-key.ts';
import { isOpen } from '../is-open.ts';
import { answerMs } from '../start/mark-dialed.ts';
import type { CallKey } from '../call-key.ts';

interface ReportDependencies extends EndCallDependencies {
  /** Notifies the conversation of a call, in any process, of who answered. */
  onIdentified: (callId: number, by: AnsweredBy) => Promise<void>;
  carrier: Pick<Carrier, 'secondMs'>;
  leaseMs: number;
}

const isUnanswered = inArray(calls.status, ['initiated', 'ringing']);
const isUnleased = isNull(calls.leaseOwner);

/**
 * Stores a carrier's report. Repeated and outdated reports change nothing.
 *
 * @throws Refusal if there is no such call.
 */
export async function handleReport(dependencies: ReportDependencies, report: CallReport): Promise<void> {
  const { db } = dependencies.database;
  const [call] = await db.select().from(calls).where(isKeyed(report));
  if (!call) {
    if (report.type !== 'recorded' || !(await isDeleted(dependencies, report.callId))) throw unknownCall();
    // The recording became ready after the call was deleted.
    await dependencies.jobs.send('delete-recording', { recordingId: report.recordingId });
    return;
  }
  const isThis = eq(calls.id, call.id);
  const { carrierCallId } = report;
  // If the process that dialed the call died, the carrier's call id first becomes known here.
  if (carrierCallId !== undefined && call.carrierCallId === null) {
    await db.update(calls).set({ carrierCallId }).where(isThis);
  }
  switch (report.type) {
    case 'initiated':
    case 'ringing': {
      const ringingTime = await readRingingTime(dependencies, call);
      const [ringing] = await db
        .update(calls)
        .set({
          leaseUntil: leaseEnd(answerMs(dependencies, ringingTime)),
          updatedAt: sql`now()`,
          ...(report.type === 'ringing' && { status: 'ringing' }),
        })
        .where(and(isThis, isUnanswered, isUnleased))
        .returning({ id: calls.id });
      const wasAbandoned =
        call.endedAt !== null && (call.endReason === 'not-reported' || call.endReason === 'carrier-error');
      if (!ringing && wasAbandoned && carrierCallId !== undefined) {
        // The call was abandoned while it was in the carrier's queue.
        await dependencies.jobs.send('hang-up', { carrierCallId });
      }
      return;
    }
    case 'unreached': {
      const result = { status: report.reason, reason: report.reason };
      await endCall(dependencies, and(isThis, isUnanswered, isUnleased), result);
      return;
    }
    case 'identified': {
      const answeredBy = report.by === 'fax' ? 'machine' : report.by;
      await db
        .update(calls)
        .set({ answeredBy, isFax: report.by === 'fax' })
        .where(and(isThis, eq(calls.answeredBy, 'unknown')));
      await dependencies.onIdentified(call.id, report.by);
      return;
    }
    case 'recorded':
      await db
        .update(calls)
        .set({
          carrierRecordingId: report.recordingId,
          recordingToken: sql`coalesce(${calls.recordingToken}, ${newSecret()})`,
        })
        .where(and(isThis, isNull(calls.carrierRecordingId)));
      return;
    case 'transfer-answered':
      await db
        .update(calls)
        .set({ isTransferAnswered: true })
        .where(and(isThis, isNotNull(calls.transferTo)));
      return;
    case 'ended':
      await db
        .update(calls)
        .set({ carrierSeconds: sql`greatest(${calls.carrierSeconds}, ${report.seconds}::integer)` })
        .where(isThis);
      await endReportedCall(dependencies, call.id);
  }
}

/**
 * Ends a call whose end the carrier has reported, unless a process owns it: that process sees the end on its line, or
 * releases the call.
 */
export async function endReportedCall(dependencies: EndCallDependencies, callId: number): Promise<void> {
  const isThis = eq(calls.id, callId);
  const [call] = await dependencies.database.db.select().from(calls).where(isThis);
  if (!call || call.carrierSeconds === null) return;
  if (call.transferTo !== null) await chargeTransfer(dependencies, call.id, call.carrierSeconds);
  await endCall(dependencies, and(isThis, isOpen, isUnleased), reportedEnd(call));
}

async function readRingingTime(
  { database: { db } }: EndCallDependencies,
  { assistantId }: typeof calls.$inferSelect,
): Promise<number> {
  const [found] = await db
    .select({ ringingTime: assistants.ringingTime })
    .from(assistants)
    .where(eq(assistants.id, assistantId ?? 0));
  return found?.ringingTime ?? 0;
}

async function isDeleted({ database: { db } }: EndCallDependencies, callId: number): Promise<boolean> {
  const [found] = await db.select({ id: calls.id }).from(calls).where(eq(calls.id, callId));
  return found === undefined;
}

/** Returns the refusal of a request for a call that does not exist, or with a wrong secret. */
export const unknownCall = (): Refusal => Refusal.notFound('Call');

/** Reads a call for a carrier. @throws Refusal */
export async function readKeyedCall(
  { database: { db } }: EndCallDependencies,
  key: CallKey,
): Promise<typeof calls.$inferSelect> {
  const [call] = await db.select().from(calls).where(isKeyed(key));
  if (!call) throw unknownCall();
  return call;
}
