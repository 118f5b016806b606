import { and, asc, count, desc, eq, isNull } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { assistants } from '../db/schema.ts';
import { wireColumns } from '../db/wire-columns.ts';
import type { Page } from '../http/paginate.ts';
import type { AssistantRow } from './assistant-fields.ts';

/** The assistants of one page, newest first, and how many there are (interface: `GET /user/assistants/get`). */
export async function listAssistants({ db }: Database, userId: number, { number, size }: Page) {
  const owned = and(eq(assistants.userId, userId), isNull(assistants.deletedAt));
  const [counted] = await db.select({ total: count() }).from(assistants).where(owned);
  const rows = await db
    .select(wireColumns(assistants))
    .from(assistants)
    .where(owned)
    .orderBy(desc(assistants.id))
    .limit(size)
    .offset((number - 1) * size);
  return { total: counted?.total ?? 0, assistants: rows.map(toRecord) };
}

/** The interface writes two of the booleans as numbers, and a language that it never fills in. */
const toRecord = (row: AssistantRow) => ({
  ...row,
  language: null,
  fillers: Number(row.fillers),
  end_call_on_voicemail: Number(row.end_call_on_voicemail),
});

/** The outbound assistants in short, oldest first (interface: `GET /user/assistants/outbound`). */
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
    .where(and(eq(assistants.userId, userId), eq(assistants.type, 'outbound'), isNull(assistants.deletedAt)))
    .orderBy(asc(assistants.id));
}
