import type { Logger } from 'pino';
import type { CallRunner } from './call/call-runner.ts';
import { failAbandonedCalls } from './call/fail-abandoned-calls.ts';
import type { Carrier } from './carrier/carrier.ts';
import type { Database } from './db/database.ts';
import { sumTotals } from './db/list-totals.ts';
import { purgeExpiredKeys } from './idempotency/idempotency-key.ts';
import { deleteReleasedNumbers } from './phone-number/release-number.ts';
import type { Jobs } from './jobs/jobs.ts';
import { endInactiveConversations } from './conversation/end-conversation.ts';
import type { Replies } from './conversation/replies.ts';
import { deleteExpiredPreviewTokens } from './user-token/preview-token.ts';
import { failAbandonedReplies } from './conversation/store-reply.ts';
import { countTakenOver } from './telemetry/instruments.ts';
import { deletePastUsage } from './usage/daily-usage.ts';

interface HousekeepingDependencies {
  database: Database;
  jobs: Jobs;
  replies: Replies;
  calls: CallRunner;
  carrier: Pick<Carrier, 'hangUpTransfer'>;
  log: Logger;
}

/**
 * Runs the regular tasks that no request triggers, three times per lease. Any number of processes may run them at once.
 *
 * @returns a function that stops it and resolves once the current round is over.
 */
export function startHousekeeping(dependencies: HousekeepingDependencies): () => Promise<void> {
  let round: Promise<void> = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    // Rounds must not overlap while the database is slow.
    if (isRunning) return;
    isRunning = true;
    round = runRound(dependencies).finally(() => {
      isRunning = false;
    });
  }, dependencies.replies.lease.milliseconds / 3);
  return async () => {
    clearInterval(timer);
    await round;
  };
}

/** Leases are renewed first: a slow round must not let them expire. */
async function runRound({
  database,
  jobs,
  replies,
  calls,
  carrier,
  log,
}: HousekeepingDependencies): Promise<void> {
  const tasks = [
    () => replies.renewLeases(),
    () => calls.renewLeases(),
    async () => {
      const abandoned = await failAbandonedReplies(database);
      countTakenOver('reply', abandoned);
      if (abandoned > 0) log.warn({ abandoned }, 'refunded replies whose process had stopped');
    },
    async () => {
      const abandoned = await failAbandonedCalls({ database, jobs, carrier });
      countTakenOver('call', abandoned);
      if (abandoned > 0) log.warn({ abandoned }, 'ended calls whose process had stopped');
    },
    () => endInactiveConversations({ database, jobs }),
    () => purgeExpiredKeys(database.db),
    () => deleteExpiredPreviewTokens(database.db),
    () => deleteReleasedNumbers({ database, jobs }),
    () => deletePastUsage(database.db),
    () => sumTotals(database.db),
  ];
  for (const task of tasks) {
    try {
      await task();
    } catch (error) {
      log.error({ err: error }, 'a housekeeping task failed; it is retried in the next round');
    }
  }
}
