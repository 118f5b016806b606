import type { Logger } from 'pino';
import type { CallRunner } from './call/call-runner.ts';
import { failAbandonedCalls } from './call/outcome/fail-abandoned-calls.ts';
import type { Carrier } from './carrier/carrier.ts';
import type { Database } from './db/database.ts';
import { abandonedBefore, recordHeartbeat } from './db/heartbeat.ts';
import { limitWal } from './db/limit-wal.ts';
import { sumTotals } from './db/list-totals.ts';
import { purgeExpiredKeys } from './idempotency/idempotency-key.ts';
import { deleteExpiredCounts } from './http/rate-limit.ts';
import { deleteReleasedNumbers } from './phone-number/release-number.ts';
import type { Jobs } from './jobs/jobs.ts';
import { endInactiveConversations } from './conversation/end-conversation.ts';
import type { Replies } from './conversation/replies.ts';
import { deleteExpiredPreviewTokens } from './user-token/preview-token.ts';
import { failAbandonedReplies } from './conversation/fail-abandoned-replies.ts';
import { countAbandoned } from './telemetry/instruments.ts';
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
 * Runs the regular tasks that no request triggers. Any number of processes may run them at once.
 *
 * @returns a function that stops it and resolves once the current rounds are over.
 */
export function startHousekeeping(dependencies: HousekeepingDependencies): () => Promise<void> {
  const { log } = dependencies;
  const leaseMs = dependencies.replies.lease.milliseconds;
  // Apart from the other tasks: if they are slow, leases must not expire.
  const renewals = repeat(leaseMs / 6, () => runTasks(renewalTasks(dependencies), log));
  const others = repeat(leaseMs / 3, () => runTasks(regularTasks(dependencies), log));
  return async () => {
    await Promise.all([renewals(), others()]);
  };
}

/** @returns a function that stops it and resolves once the current round is over. */
function repeat(milliseconds: number, runRound: () => Promise<void>): () => Promise<void> {
  let round: Promise<void> = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    // Rounds must not overlap while the database is slow.
    if (isRunning) return;
    isRunning = true;
    round = runRound().finally(() => {
      isRunning = false;
    });
  }, milliseconds);
  return async () => {
    clearInterval(timer);
    await round;
  };
}

type Task = () => Promise<unknown>;

const renewalTasks = ({ database, replies, calls }: HousekeepingDependencies): Task[] => [
  () => recordHeartbeat(database.db, replies.lease.milliseconds),
  () => replies.renewLeases(),
  () => calls.renewLeases(),
];

const regularTasks = ({ database, jobs, replies, carrier, log }: HousekeepingDependencies): Task[] => [
  async () => {
    const abandoned = await failAbandonedReplies(database, abandonedBefore(replies.lease.milliseconds));
    countAbandoned('reply', abandoned);
    if (abandoned > 0) log.warn({ abandoned }, 'refunded replies whose process had stopped');
  },
  async () => {
    const before = abandonedBefore(replies.lease.milliseconds);
    const { ofDeadProcesses, unreported } = await failAbandonedCalls({ database, jobs, carrier }, before);
    countAbandoned('call', ofDeadProcesses);
    if (ofDeadProcesses > 0)
      log.warn({ abandoned: ofDeadProcesses }, 'ended calls whose process had stopped');
    if (unreported > 0) log.warn({ unreported }, 'ended calls that were not reported in time');
  },
  () => endInactiveConversations({ database, jobs }),
  () => purgeExpiredKeys(database.db),
  () => deleteExpiredPreviewTokens(database.db),
  () => deleteReleasedNumbers({ database, jobs }),
  () => deletePastUsage(database.db),
  () => deleteExpiredCounts(database),
  () => sumTotals(database.db),
  async () => {
    if (database.kind === 'pglite') await limitWal(database.pool);
  },
];

/** Continues with the next task if one fails. */
async function runTasks(tasks: readonly Task[], log: Logger): Promise<void> {
  for (const task of tasks) {
    try {
      await task();
    } catch (error) {
      log.error({ err: error }, 'a housekeeping task failed; it is retried in the next round');
    }
  }
}
