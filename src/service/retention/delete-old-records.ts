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
  deleteInBatches(queries, signal, {
    table: 'conversations',
    isOld: sql`updated_at < ${daysAgo(days)} AND NOT EXISTS (
      SELECT 1 FROM messages WHERE conversation_id = conversations.id AND reply_state = 'pending')
      AND NOT EXISTS (SELECT 1 FROM calls WHERE conversation_id = conversations.id AND status IN ${openCallStatuses})`,
  });

/**
 * Deletes conversations that were opened a day ago, and have neither a message of their visitor nor a call.
 *
 * @returns the number of deleted conversations.
 */
export const deleteUnusedConversations = (queries: Queries, signal: AbortSignal): Promise<number> =>
  deleteInBatches(queries, signal, {
    table: 'conversations',
    isOld: sql`turns = 0 AND end_handled_until IS NULL AND created_at < ${daysAgo(1)} AND customer_identifier IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM messages WHERE conversation_id = conversations.id AND (role <> 'assistant' OR turn > 0))
      AND NOT EXISTS (SELECT 1 FROM calls WHERE conversation_id = conversations.id)`,
  });

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
  deleteInBatches(db, signal, {
    table: 'calls',
    isOld: sql`created_at < ${daysAgo(days)} AND coalesce(ended_at, updated_at) < ${daysAgo(days)}
      AND status NOT IN ${openCallStatuses}`,
    returned: sql`carrier_recording_id AS "recordingId"`,
    async afterwards(tx, deleted) {
      for (const { recordingId } of deleted)
        if (recordingId != null) await jobs.send('delete-recording', { recordingId }, { tx });
    },
  });

/**
 * Deletes entries of the audit log from before the given number of days.
 *
 * @returns the number of deleted entries.
 */
export const deleteOldAuditEntries = (queries: Queries, days: number, signal: AbortSignal): Promise<number> =>
  deleteInBatches(queries, signal, { table: 'audit_log', isOld: sql`created_at < ${daysAgo(days)}` });

const daysAgo = (days: number) => sql`now() - ${days} * interval '1 day'`;

type Deleted = { recordingId?: string | null };

interface OldRecords {
  table: 'conversations' | 'calls' | 'audit_log';
  isOld: SQL;
  /** Of a deleted record. */
  returned?: SQL;
  /** Called in the transaction of each batch. */
  afterwards?: (tx: Queries, deleted: Deleted[]) => Promise<void>;
}

/** Deletes batches until one is not full; returns the number of deleted records. */
async function deleteInBatches(
  queries: Queries,
  signal: AbortSignal,
  { table: name, isOld, returned = sql`id`, afterwards }: OldRecords,
): Promise<number> {
  const table = sql.identifier(name);
  for (let total = 0; ;) {
    signal.throwIfAborted();
    const [found, deleted] = await queries.transaction(async (tx) => {
      const { rows } = await tx.execute<{ id: string }>(
        sql`SELECT id FROM ${table} WHERE ${isOld} ORDER BY id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED`,
      );
      if (rows.length === 0) return [0, 0];
      // A call that was stored during the first statement is only visible to a second one.
      const { rows: records } = await tx.execute<Deleted>(
        sql`DELETE FROM ${table} WHERE id IN ${rows.map(({ id }) => id)} AND ${isOld} RETURNING ${returned}`,
      );
      await afterwards?.(tx, records);
      return [rows.length, records.length];
    });
    total += deleted;
    if (found < batchSize) return total;
  }
}
