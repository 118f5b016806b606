import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { assistants, conversations, messages } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { notifyOfChange } from './conversation-events.ts';
import { isQuiet } from './has-ended.ts';

/** What ending needs of the service. */
export interface Ending {
  database: Database;
  jobs: Jobs;
}

/**
 * Notes that a locked conversation is over, and has those told who want to know. One in which no visitor has said
 * anything is none to tell of. Nothing happens if it was noted before.
 */
export async function noteEnd(tx: Queries, jobs: Jobs, conversationId: number): Promise<void> {
  const [ended] = await tx
    .update(conversations)
    .set({ endedAt: sql`now()` })
    .where(and(eq(conversations.id, conversationId), isNull(conversations.endedAt)))
    .returning({ id: conversations.id });
  if (!ended) return;
  await notifyOfChange(tx, conversationId);
  const [spoken] = await tx
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, conversationId),
        eq(messages.role, 'user'),
        sql`${messages.replyState} <> 'failed'`,
      ),
    )
    .limit(1);
  if (spoken) await jobs.send('conversation-ended', { conversationId }, { tx });
}

/** Conversations that are ended in one transaction; the next one takes the rest. */
const batch = 100;

/**
 * Ends the conversations in which nothing was said for as long as their assistants wait. Any number of processes may do
 * it at once: each conversation is ended, and told of, by one of them. One whose reply is under way is not quiet.
 *
 * @returns how many there were.
 */
export async function endQuietConversations({ database: { db }, jobs }: Ending): Promise<number> {
  for (let total = 0; ;) {
    const ended = await db.transaction(async (tx) => {
      const quiet = await tx
        .select({ id: conversations.id })
        .from(conversations)
        .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
        .where(
          and(
            isNull(conversations.endedAt),
            isQuiet,
            sql`NOT EXISTS (SELECT 1 FROM ${messages}
              WHERE ${messages.conversationId} = ${conversations.id} AND ${messages.replyState} = 'pending')`,
          ),
        )
        .limit(batch)
        .for('no key update', { of: conversations, skipLocked: true });
      for (const { id } of quiet) await noteEnd(tx, jobs, id);
      return quiet.length;
    });
    total += ended;
    if (ended < batch) return total;
  }
}
