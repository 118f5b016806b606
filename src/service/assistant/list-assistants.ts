import { and, asc, count, desc, eq, isNull } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { assistants } from '../db/schema.ts';
import { wireColumns } from '../db/wire-columns.ts';
import type { Page } from '../db/newest-page.ts';
import { disabledUrls } from '../webhook-url/disable-failing-url.ts';
import type { AssistantRow } from './assistant-fields.ts';

const ownedBy = (userId: number) => and(eq(assistants.userId, userId), isNull(assistants.deletedAt));

const columns = { ...wireColumns(assistants), disabled_webhook_urls: disabledUrls };

const newestFirst = ({ db }: Database, userId: number) =>
  db.select(columns).from(assistants).where(ownedBy(userId)).orderBy(desc(assistants.id));

/**
 * Lists one page of the user's assistants, newest first, with their total number (interface:
 * `GET /user/assistants/get`).
 */
export async function listAssistants(database: Database, userId: number, { number, size }: Page) {
  const [counted] = await database.db.select({ total: count() }).from(assistants).where(ownedBy(userId));
  const rows = await newestFirst(database, userId)
    .limit(size)
    .offset((number - 1) * size);
  return { total: counted?.total ?? 0, assistants: rows.map(toRecord) };
}

/** Lists all assistants of the user, newest first (`GET /user/assistants`). */
export async function listAllAssistants(database: Database, userId: number) {
  return (await newestFirst(database, userId)).map(toRecord);
}

/** In the interface, two of the booleans are numbers, and `language` is always null. */
const toRecord = (row: AssistantRow & { disabled_webhook_urls: string[] }) => ({
  ...row,
  language: null,
  fillers: Number(row.fillers),
  end_call_on_voicemail: Number(row.end_call_on_voicemail),
});

/**
 * Lists the user's outbound assistants as reduced records, oldest first (interface: `GET /user/assistants/outbound`).
 */
export async function listOutboundAssistants({ db }: Database, userId: number) {
  const all = wireColumns(assistants);
  return db
    .select({
      id: all.id,
      user_id: all.user_id,
      name: all.name,
      type: all.type,
      mode: all.mode,
      status: all.status,
      voice_id: all.voice_id,
      language_id: all.language_id,
      timezone: all.timezone,
      initial_message: all.initial_message,
      system_prompt: all.system_prompt,
      variables: all.variables,
      webhook_url: all.webhook_url,
      is_webhook_active: all.is_webhook_active,
      created_at: all.created_at,
      updated_at: all.updated_at,
    })
    .from(assistants)
    .where(and(ownedBy(userId), eq(assistants.type, 'outbound')))
    .orderBy(asc(assistants.id));
}
