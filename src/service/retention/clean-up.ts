import type { Logger } from 'pino';
import { sendAllTicks } from '../campaign/send-tick.ts';
import type { Database } from '../db/database.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { failStuckDocuments } from '../knowledge/fail-document.ts';
import { renewSubscriptions } from '../phone-number/renew-subscriptions.ts';
import { failForgottenDeliveries, resendForgotten } from './resend-forgotten.ts';
import { deleteOldCalls, deleteOldConversations } from './delete-old-talks.ts';

/** Pause between two rounds, in milliseconds. */
const pauseMs = 3_600_000;

/** What is cleaned up, and how. */
interface CleaningUp {
  database: Database;
  jobs: Jobs;
  /** How long conversations and calls are kept; undefined keeps them for good. */
  retentionDays: number | undefined;
  log: Logger;
}

/**
 * Sends the jobs again that were given up, has the campaigns in progress looked at, charges for the numbers whose month is
 * over, deletes what is older than it may become, and ends what nobody works on any more. The next round is sent first, so that there is one whatever comes of
 * this one.
 */
export async function cleanUp(
  { database, jobs, retentionDays, log }: CleaningUp,
  signal: AbortSignal,
): Promise<void> {
  await sendCleanUp(jobs, pauseMs);
  await sendAllTicks({ database, jobs });
  const resent = await resendForgotten(database, jobs);
  if (resent > 0) log.warn({ jobs: resent }, 'jobs were sent again that had been given up');
  const undelivered = await failForgottenDeliveries(database, jobs);
  if (undelivered > 0)
    log.warn({ webhooks: undelivered }, 'webhooks have failed that could not be delivered');
  const documents = await failStuckDocuments({ database, jobs });
  if (documents > 0) log.warn({ documents }, 'documents have failed that nobody worked on any more');
  const { renewed, unpaid } = await renewSubscriptions(database, signal);
  if (renewed + unpaid > 0) log.info({ renewed, unpaid }, 'charged for numbers whose month was over');
  if (retentionDays === undefined) return;
  const conversations = await deleteOldConversations(database.db, retentionDays, signal);
  const calls = await deleteOldCalls(database.db, retentionDays, signal);
  if (conversations + calls > 0) log.info({ conversations, calls }, 'deleted what was too old to be kept');
}

/** There is one round at a time, for all processes. */
export const sendCleanUp = (jobs: Jobs, startAfter = 0): Promise<void> =>
  jobs.send('clean-up', {}, { startAfter });
