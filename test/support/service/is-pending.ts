import type { StoredJobs } from '../../../src/service/jobs/jobs.ts';
import { keyOf } from '../../../src/service/jobs/queues.ts';
import type { QueueData, QueueName } from '../../../src/service/jobs/queues.ts';

/** Returns whether a job for the record waits or runs. */
export async function isPending<Name extends QueueName>(
  { boss }: StoredJobs,
  queue: Name,
  data: QueueData[Name],
): Promise<boolean> {
  const jobs = await boss.findJobs(queue, { key: keyOf(queue, data) });
  return jobs.some(({ completedOn }) => completedOn === null);
}
