import type { Logger } from 'pino';
import type { CallRunner } from './call/call-runner.ts';
import { failAbandonedCalls } from './call/end-call.ts';
import type { Database } from './db/database.ts';
import { purgeExpiredKeys } from './idempotency/idempotency-key.ts';
import { deleteReleasedNumbers } from './phone-number/phone-number.ts';
import type { Jobs } from './jobs/jobs.ts';
import { endInactiveConversations } from './conversation/end-conversation.ts';
import type { Replies } from './conversation/replies.ts';
import { failAbandonedReplies } from './conversation/store-reply.ts';

interface Housekeeping {
  database: Database;
  jobs: Jobs;
  replies: Replies;
  calls: CallRunner;
  log: Logger;
}

/**
 * Runs the regular tasks that no request triggers, three times per lease. Any number of processes may run them at once.
 *
 * @returns a function that stops it and resolves once the current round is over.
 */
export function startHousekeeping(parts: Housekeeping): () => Promise<void> {
  let round: Promise<void> = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    // While the database is slow, rounds must not pile up.
    if (isRunning) return;
    isRunning = true;
    round = runRound(parts).finally(() => {
      isRunning = false;
    });
  }, parts.replies.lease.milliseconds / 3);
  return async () => {
    clearInterval(timer);
    await round;
  };
}

/** Leases come first: a slow round must not make other processes give up the work of this one. */
async function runRound({ database, jobs, replies, calls, log }: Housekeeping): Promise<void> {
  const tasks = [
    () => replies.renewLeases(),
    () => calls.renewLeases(),
    async () => {
      const abandoned = await failAbandonedReplies(database);
      if (abandoned > 0) log.warn({ abandoned }, 'refunded replies whose process had stopped');
    },
    async () => {
      const abandoned = await failAbandonedCalls({ database, jobs });
      if (abandoned > 0) log.warn({ abandoned }, 'ended calls whose process had stopped');
    },
    () => endInactiveConversations({ database, jobs }),
    () => purgeExpiredKeys(database.db),
    () => deleteReleasedNumbers(database.db),
  ];
  for (const task of tasks) {
    try {
      await task();
    } catch (error) {
      log.error({ err: error }, 'housekeeping failed; it will be tried again');
    }
  }
}
