import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import type { Database, Queries } from '../db/database.ts';
import type { Jobs } from '../jobs/jobs.ts';

/** Records deleted per statement; larger statements would block others. */
const batchSize = 200;

/**
 * Deletes conversations that had no activity for the given number of days, with their messages and webhook deliveries,
 * but none with an open call. Ledger entries are kept.
 *
 * @returns the number of deleted conversations.
 */
export const deleteOldConversations = (
  queries: Queries,
  days: number,
  signal: AbortSignal,
): Promise<number> =>
  deleteInBatches(
    queries,
    signal,
    'conversations',
    sql`
    updated_at < ${daysAgo(days)} AND NOT EXISTS (
      SELECT 1 FROM messages WHERE conversation_id = conversations.id AND reply_state = 'pending')
    AND NOT EXISTS (SELECT 1 FROM calls WHERE conversation_id = conversations.id AND status IN ${openCallStatuses})`,
  );

/**
 * Deletes conversations that were opened a day ago, and have neither a message of their visitor nor a call.
 *
 * @returns the number of deleted conversations.
 */
export const deleteUnusedConversations = (queries: Queries, signal: AbortSignal): Promise<number> =>
  deleteInBatches(
    queries,
    signal,
    'conversations',
    sql`
    turns = 0 AND end_handled_until IS NULL AND created_at < ${daysAgo(1)} AND customer_identifier IS NULL AND NOT EXISTS (
      SELECT 1 FROM messages WHERE conversation_id = conversations.id AND (role <> 'assistant' OR turn > 0))
    AND NOT EXISTS (SELECT 1 FROM calls WHERE conversation_id = conversations.id)`,
  );

/**
 * Deletes calls that ended the given number of days ago, with their recordings, also at the carrier.
 *
 * @returns the number of deleted calls.
 */
export const deleteOldCalls = (
  { database: { db }, jobs }: { database: Database; jobs: Jobs },
  days: number,
  signal: AbortSignal,
): Promise<number> =>
  repeat(signal, () =>
    db.transaction(async (tx) => {
      const { rows } = await tx.execute<{ recordingId: string | null }>(
        deleteBatch(
          'calls',
          sql`
          created_at < ${daysAgo(days)} AND coalesce(ended_at, updated_at) < ${daysAgo(days)}
          AND status NOT IN ${openCallStatuses}`,
          sql`carrier_recording_id AS "recordingId"`,
        ),
      );
      for (const { recordingId } of rows)
        if (recordingId !== null) await jobs.send('delete-recording', { recordingId }, { tx });
      return rows.length;
    }),
  );

/**
 * Deletes entries of the audit log from before the given number of days.
 *
 * @returns the number of deleted entries.
 */
export const deleteOldAuditEntries = (queries: Queries, days: number, signal: AbortSignal): Promise<number> =>
  deleteInBatches(queries, signal, 'audit_log', sql`created_at < ${daysAgo(days)}`);

const daysAgo = (days: number) => sql`now() - ${days} * interval '1 day'`;

type Table = 'conversations' | 'calls' | 'audit_log';

const deleteInBatches = (queries: Queries, signal: AbortSignal, table: Table, isOld: SQL): Promise<number> =>
  repeat(signal, async () => (await queries.execute(deleteBatch(table, isOld))).rows.length);

const deleteBatch = (table: Table, isOld: SQL, returned = sql`id`) => sql`
  DELETE FROM ${sql.identifier(table)} WHERE id IN (
    SELECT id FROM ${sql.identifier(table)} WHERE ${isOld} ORDER BY id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
  RETURNING ${returned}`;

/** Deletes batches until one is not full; returns the number of deleted records. */
async function repeat(signal: AbortSignal, deleteNext: () => Promise<number>): Promise<number> {
  for (let deleted = 0; ;) {
    signal.throwIfAborted();
    const count = await deleteNext();
    deleted += count;
    if (count < batchSize) return deleted;
  }
}
