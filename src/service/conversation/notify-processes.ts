import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';

/** The channel of the notifications, which {@link ConversationEvents} listens to. */
export const channel = 'voice_assistant_chat_conversations';

/**
 * Notifies all processes that share a PostgreSQL server of a change of conversations that was not made by a visitor's
 * request. Visitors' messages and their answers are left to polling: transactions that notify delay each other's commits.
 */
export async function notifyProcesses(tx: Queries, ...conversationIds: readonly number[]): Promise<void> {
  await tx.execute(
    sql`SELECT pg_notify(${channel}, id) FROM unnest(${sql.param(conversationIds.map(String))}::text[]) AS id`,
  );
}
