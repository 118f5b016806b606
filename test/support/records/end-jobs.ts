import type { TestService } from '../service/service.ts';

/** How often a conversation's end was told of: jobs, waiting or done. */
export async function endJobs({ running }: TestService, conversation: string): Promise<number> {
  const { rows } = await running.database.pool.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM jobs.job JOIN conversations
       ON (job.data ->> 'conversationId')::bigint = conversations.id
     WHERE job.name = 'conversation-ended' AND conversations.uuid = $1`,
    [conversation],
  );
  return rows[0]?.count ?? 0;
}

/** Completes a conversation's waiting job as a worker does: two ends that wait together are handled by one job. */
export async function completeEndJobs({ running }: TestService, conversation: string): Promise<void> {
  await running.database.pool.query(
    `UPDATE jobs.job SET state = 'completed', completed_on = now() WHERE name = 'conversation-ended'
       AND data ->> 'conversationId' = (SELECT id::text FROM conversations WHERE uuid = $1)`,
    [conversation],
  );
}
