import { and, eq, sql } from 'drizzle-orm';
import type { AuditLogQuery, RecordKind } from '../../contract/audit-log.ts';
import type { Database, Queries } from '../db/database.ts';
import { countRecords, readTotal } from '../db/list-totals.ts';
import { newestPage } from '../db/newest-page.ts';
import type { Page } from '../db/newest-page.ts';
import { hasDays, isOnDays } from '../db/is-on-days.ts';
import { auditLog } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';

/** A change of a record. Contains neither contents nor secrets. */
export interface Change {
  /** The owner of the record; null if the record has none. */
  userId: number | null;
  actor: { type: 'api-key'; keyId: number; keyName: string; address: string } | { type: 'command-line' };
  /** Name of the operation or command. */
  operation: string;
  object: RecordKind;
  /** Null if an account has only one such record. */
  objectId: string | number | null;
}

/** Adds an entry to the audit log, in the transaction of the change. */
export async function recordChange(tx: Queries, change: Change): Promise<void> {
  const { userId, actor, operation, object, objectId } = change;
  const key = actor.type === 'api-key' ? actor : undefined;
  await tx.insert(auditLog).values({
    userId,
    actor: actor.type,
    keyId: key?.keyId,
    keyName: key?.keyName,
    address: key?.address,
    operation,
    object,
    objectId: objectId === null ? null : String(objectId),
  });
}

/** Lists one page of a user's entries, newest first, with their total number. */
export async function listAuditLog({ db }: Database, userId: number, query: AuditLogQuery, page: Page) {
  const filter = and(eq(auditLog.userId, userId), isOnDays(auditLog.createdAt, query));
  const total = hasDays(query)
    ? await countRecords(db, auditLog, filter)
    : await readTotal(db, 'audit_log', userId);
  const selected = db
    .select({
      id: auditLog.id,
      created_at: wireTimestamp(auditLog.createdAt),
      actor: auditLog.actor,
      api_key: sql<{ id: number; name: string } | null>`CASE WHEN ${auditLog.keyId} IS NOT NULL THEN
        json_build_object('id', ${auditLog.keyId}, 'name', ${auditLog.keyName}) END`,
      address: auditLog.address,
      operation: auditLog.operation,
      object: auditLog.object,
      object_id: auditLog.objectId,
    })
    .from(auditLog)
    .where(filter)
    .$dynamic();
  const entries = await newestPage(selected, auditLog.id, page);
  return { total, entries };
}
