import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { assistants, conversations, messages } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { notifyOfChange } from './conversation-events.ts';
import { isInactive } from './has-ended.ts';

/** The parts of the service that end conversations. */
export interface EndingDependencies {
  database: Database;
  jobs: Jobs;
}

/**
 * Marks a locked conversation as ended and, if a visitor has written in it, sends the job that evaluates it and calls
 * its webhook. Has no effect if the conversation is marked already.
 */
export async function markEnded(tx: Queries, jobs: Jobs, conversationId: number): Promise<void> {
  const [ended] = await tx
    .update(conversations)
    .set({ endedAt: sql`now()` })
    .where(and(eq(conversations.id, conversationId), isNull(conversations.endedAt)))
    .returning({ id: conversations.id });
  if (!ended) return;
  await notifyOfChange(tx, conversationId);
  const [visitorMessage] = await tx
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
  if (visitorMessage) await jobs.send('conversation-ended', { conversationId }, { tx });
}

/** Conversations per transaction. */
const batch = 100;

/**
 * Ends the conversations whose inactivity timeout has passed. Any number of processes may run it concurrently.
 *
 * @returns the number of conversations that were ended.
 */
export async function endInactiveConversations({
  database: { db },
  jobs,
}: EndingDependencies): Promise<number> {
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
