import { eq, sql } from 'drizzle-orm';
import type { HistoryEvent } from '../../contract/chat-endpoints.ts';
import type { Queries } from '../db/database.ts';
import { conversations, messages } from '../db/schema.ts';
import { notifyProcesses } from './notify-processes.ts';

/** A person's message, or an event with its sentence in English. */
export type AddedLine =
  | { role: 'assistant'; content: string; author?: string }
  | { role: 'system'; content: string; event: HistoryEvent; duration?: number };

/**
 * The new `updated_at` of a conversation that gets an entry. An ended conversation keeps it unless it is
 * resumed, since its end is handled only once.
 */
export const updatedUntilEnd = sql`CASE WHEN ${conversations.endedAt} IS NULL THEN now()
  ELSE ${conversations.updatedAt} END`;

/** Adds an entry to a locked conversation, in a new turn, so that it comes after all earlier entries. */
export async function addEntry(
  queries: Queries,
  { id, turns }: { id: number; turns: number },
  entry: AddedLine,
): Promise<void> {
  await queries.insert(messages).values({ conversationId: id, turn: turns + 1, ...entry });
  await queries
    .update(conversations)
    .set({ turns: turns + 1, updatedAt: updatedUntilEnd })
    .where(eq(conversations.id, id));
  await notifyProcesses(queries, id);
}
