import { and, eq, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import type { CallsQuery, CallStatus } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import { conversations } from '../db/schema.ts';
import { notifyCampaigns } from '../campaign/send-tick.ts';
import type { Database } from '../db/database.ts';
import { countRecords, readTotal } from '../db/list-totals.ts';
import { newestPage } from '../db/newest-page.ts';
import { hasDays, isOnDays } from '../db/is-on-days.ts';
import { containsDigits } from '../db/contains-digits.ts';
import { wireColumns } from '../db/wire-columns.ts';
import { plainTimestamp } from '../db/wire-timestamp.ts';
import type { Page } from '../db/newest-page.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { Refusal } from '../lib/refusal.ts';
import { recordingUrlOf } from '../recording/recording-url.ts';

/** A call id with the user who must own the call. */
interface OwnedCall {
  id: number;
  userId: number;
}

const isOwned = ({ id, userId }: OwnedCall) => and(eq(calls.id, id), eq(calls.userId, userId));

const columns = wireColumns(
  calls,
  [
    ...([
      'user_id',
      'assistant_id',
      'campaign_id',
      'lead_id',
      'lead_phone_number',
      'conversation_id',
      'contact_id',
      'input_variables',
      'messages',
    ] as const),
    ...(['answered_at', 'ended_at', 'end_handled_at', 'lease_owner', 'lease_until'] as const),
    ...([
      'carrier_call_id',
      'token',
      'connect_token',
      'dialed_at',
      'transfer_to',
      'is_transfer_answered',
      'hang_up_requested',
      'is_recorded',
      'carrier_recording_id',
      'carrier_seconds',
      'lost_connections',
      'charged_minutes',
      'is_fax',
    ] as const),
  ],
  plainTimestamp,
);

const record = {
  ...columns,
  // An open call may have one, for the case that the carrier never reports it.
  end_reason: sql<string | null>`CASE WHEN ${calls.endedAt} IS NOT NULL THEN ${calls.endReason} END`,
  conversation_id: sql<
    string | null
  >`(SELECT uuid FROM ${conversations} WHERE ${conversations.id} = ${calls.conversationId})`,
};

interface Row {
  conversation_id: string | null;
  campaign_name: string | null;
  recording_url: string | null;
  recording_token: string | null;
  end_reason: string | null;
}

/** Converts a row to a call record (interface: "Call"). */
function toRecord(
  { campaign_name, conversation_id, recording_url, recording_token, end_reason, ...rest }: Row,
  origin: string,
) {
  const url = recordingUrlOf(origin, { recordingToken: recording_token, recordingUrl: recording_url });
  return {
    ...rest,
    ...(campaign_name === null ? {} : { campaign_name }),
    ...(conversation_id === null ? {} : { conversation_id }),
    ...(end_reason === null ? {} : { end_reason }),
    ...(url === null ? {} : { recording_url: url }),
  };
}

/**
 * Lists one page of the calls that match the filters, newest first, with their total number.
 *
 * @param origin the service's public origin, for the URLs of recordings.
 */
export async function listCalls(
  { db }: Database,
  userId: number,
  query: CallsQuery,
  page: Page,
  origin: string,
) {
  const { status, type, phone_number: digits, assistant_id: assistantId, campaign_id: campaignId } = query;
  const filter = and(
    eq(calls.userId, userId),
    status === undefined ? undefined : eq(calls.status, status),
    type === undefined ? undefined : eq(calls.type, type),
    digits === undefined ? undefined : containsDigits(calls.clientPhoneNumber, digits),
    assistantId === undefined ? undefined : eq(calls.assistantId, assistantId),
    campaignId === undefined ? undefined : eq(calls.campaignId, campaignId),
    isOnDays(calls.createdAt, query),
  );
  const rows = await newestPage(db.select(record).from(calls).where(filter).$dynamic(), calls.id, page);
  const hasOtherFilters = digits !== undefined || hasDays(query);
  const counted = { status, type, assistant_id: assistantId, campaign_id: campaignId };
  const total = hasOtherFilters
    ? await countRecords(db, calls, filter, { ...page, records: rows })
    : await readTotal(db, 'calls', userId, counted);
  return { total, calls: rows.map((row) => toRecord(row, origin)) };
}

/** @throws Refusal if the call does not exist. */
export async function readCall({ db }: Database, owned: OwnedCall, origin: string) {
  const [found] = await db.select(record).from(calls).where(isOwned(owned));
  return found ? toRecord(found, origin) : notFound();
}

/**
 * Deletes the record of a call. A call in progress is hung up.
 *
 * @throws Refusal if the call does not exist.
 */
export async function deleteCall(
  { database, jobs }: { database: Database; jobs: Jobs },
  owned: OwnedCall,
): Promise<void> {
  await database.db.transaction(async (tx) => {
    const [deleted] = await tx.delete(calls).where(isOwned(owned)).returning();
    if (!deleted) return notFound();
    const { carrierCallId, carrierRecordingId: recordingId } = deleted;
    if (carrierCallId !== null && isOpenStatus(deleted.status))
      await jobs.send('hang-up', { carrierCallId }, { tx });
    if (recordingId !== null) await jobs.send('delete-recording', { recordingId }, { tx });
    await notifyCampaigns({ tx, jobs }, deleted);
  });
}

const isOpenStatus = (status: CallStatus) => (openCallStatuses as readonly CallStatus[]).includes(status);

function notFound(): never {
  throw Refusal.notFound('Call');
}
