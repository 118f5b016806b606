import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { assistants, conversations, messages } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { notifyOfChange } from './conversation-events.ts';
import { isInactive } from './has-ended.ts';

/** The parts of the service that ending a conversation uses. */
export interface Ending {
  database: Database;
  jobs: Jobs;
}

/**
 * Marks a locked conversation as ended and sends the job that evaluates it and calls its webhook, unless no visitor has
 * written in it. Has no effect on a conversation that is marked already.
 */
export async function markEnded(tx: Queries, jobs: Jobs, conversationId: number): Promise<void> {
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

/** Conversations that one transaction ends. */
const batch = 100;

/**
 * Ends the conversations whose inactivity timeout has passed. Processes may do it at the same time: each conversation is
 * ended by one of them.
 *
 * @returns the number of conversations that were ended.
 */
export async function endInactiveConversations({ database: { db }, jobs }: Ending): Promise<number> {
  for (let total = 0; ;) {
    const ended = await db.transaction(async (tx) => {
      const inactive = await tx
        .select({ id: conversations.id })
        .from(conversations)
        .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
        .where(and(isNull(conversations.endedAt), isInactive))
        .limit(batch)
        .for('no key update', { of: conversations, skipLocked: true });
      for (const { id } of inactive) await markEnded(tx, jobs, id);
      return inactive.length;
    });
    total += ended;
    if (ended < batch) return total;
  }
}
