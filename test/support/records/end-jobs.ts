import type { TestService } from '../service/service.ts';

/** The number of `conversation-ended` jobs of a conversation, pending or completed. */
export async function endJobs({ running }: TestService, conversation: string): Promise<number> {
  const { rows } = await running.database.pool.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM jobs.job JOIN conversations
       ON (job.data ->> 'conversationId')::bigint = conversations.id
     WHERE job.name = 'conversation-ended' AND conversations.uuid = $1`,
    [conversation],
  );
  return rows[0]?.count ?? 0;
}

/** Completes a conversation's pending `conversation-ended` job, as a worker does. While it is pending, no other is added. */
export async function completeEndJobs({ running }: TestService, conversation: string): Promise<void> {
  await running.database.pool.query(
    `UPDATE jobs.job SET state = 'completed', completed_on = now() WHERE name = 'conversation-ended'
       AND data ->> 'conversationId' = (SELECT id::text FROM conversations WHERE uuid = $1)`,
    [conversation],
  );
}
