import { and, eq, inArray, isNull, lte, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { assistants, conversations, messages } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { notifyProcesses } from './notify-processes.ts';
import { isInactive } from './is-inactive.ts';

/** The parts of the service that end conversations. */
export interface EndingDependencies {
  database: Database;
  jobs: Jobs;
}

/**
 * Marks locked conversations as ended and, for each in which a visitor has written, sends the job that evaluates it and
 * calls its webhook. Leaves out those that are marked already.
 */
export async function markEnded(
  tx: Queries,
  jobs: Jobs,
  ...conversationIds: readonly number[]
): Promise<void> {
  const ended = await tx
    .update(conversations)
    .set({ endedAt: sql`now()` })
    .where(and(inArray(conversations.id, [...conversationIds]), isNull(conversations.endedAt)))
    .returning({ id: conversations.id });
  const ids = ended.map(({ id }) => id);
  if (ids.length === 0) return;
  await notifyProcesses(tx, ...ids);
  const withVisitorMessage = await tx
    .selectDistinct({ conversationId: messages.conversationId })
    .from(messages)
    .where(
      and(
        inArray(messages.conversationId, ids),
        eq(messages.role, 'user'),
        sql`${messages.replyState} <> 'failed'`,
      ),
    );
  for (const { conversationId } of withVisitorMessage)
    await jobs.send('conversation-ended', { conversationId }, { tx });
}

/** Conversations per transaction, and transactions per run. */
const batch = 100;
const batches = 20;

/**
 * Ends the conversations whose inactivity timeout has passed. Checks only those that may have reached it, and at most
 * 2,000; the next run continues. Any number of processes may run it concurrently.
 *
 * @returns the number of conversations that were ended.
 */
export async function endInactiveConversations({
  database: { db },
  jobs,
}: EndingDependencies): Promise<number> {
  let total = 0;
  for (let done = 0; done < batches; done++) {
    const checked = await db.transaction(async (tx) => {
      const due = await tx
        .select({ id: conversations.id, isInactive })
        .from(conversations)
        .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
        .where(and(isNull(conversations.endedAt), lte(conversations.inactivityCheckAt, sql`now()`)))
        .orderBy(conversations.inactivityCheckAt)
        .limit(batch)
        .for('no key update', { of: conversations, skipLocked: true });
      const inactive = due.filter((conversation) => conversation.isInactive);
      await markEnded(tx, jobs, ...inactive.map(({ id }) => id));
      const active = due.filter((conversation) => !conversation.isInactive);
      await scheduleCheck(
        tx,
        active.map(({ id }) => id),
      );
      total += inactive.length;
      return due.length;
    });
    if (checked < batch) break;
  }
  return total;
}

/** Conversations whose reply is still being written are checked again after a minute. */
async function scheduleCheck(tx: Queries, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(conversations)
    .set({
      inactivityCheckAt: sql`greatest(now() + interval '1 minute', ${conversations.updatedAt} +
        (SELECT conversation_inactivity_timeout FROM assistants WHERE assistants.id = ${conversations.assistantId})
        * interval '1 minute')`,
    })
    .where(inArray(conversations.id, ids));
}
