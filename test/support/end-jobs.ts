import type { TestService } from './service.ts';

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
