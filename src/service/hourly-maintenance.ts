import type { Logger } from 'pino';
import { warnOfLowBalances } from './billing/low-balance.ts';
import { sendAllTicks } from './campaign/send-tick.ts';
import type { Database } from './db/database.ts';
import { vacuumChangedTables } from './db/vacuum-changed-tables.ts';
import type { Jobs } from './jobs/jobs.ts';
import { runAll } from './lib/run-all.ts';
import { renewSubscriptions } from './phone-number/renew-subscriptions.ts';
import {
  deleteOldAuditEntries,
  deleteOldCalls,
  deleteOldConversations,
  deleteUnusedConversations,
} from './retention/delete-old-records.ts';

/** Interval in milliseconds. */
const intervalMs = 3_600_000;

interface MaintenanceDependencies {
  database: Database;
  jobs: Jobs;
  /** Days to keep conversations and calls; undefined means forever. */
  retentionDays: number | undefined;
  /** Days to keep entries of the audit log; undefined means forever. */
  auditDays: number | undefined;
  log: Logger;
}

/**
 * Notifies running campaigns, renews phone number subscriptions, warns of low balances, deletes old records, and vacuums
 * the embedded database. The next run is scheduled first, so that a failure does not stop the series.
 *
 * @throws AggregateError if some of these steps failed, after all others.
 */
export async function runHourlyMaintenance(
  { database, jobs, retentionDays, auditDays, log }: MaintenanceDependencies,
  signal: AbortSignal,
): Promise<void> {
  await sendHourlyMaintenance(jobs, intervalMs);
  await runAll([
    () => sendAllTicks({ database, jobs }),
    () => warnOfLowBalances(database, log),
    async () => {
      const { renewed, unpaid } = await renewSubscriptions(database, signal);
      if (renewed + unpaid > 0) log.info({ renewed, unpaid }, 'renewed phone number subscriptions');
    },
    async () => {
      const unused = await deleteUnusedConversations(database.db, signal);
      if (unused > 0) log.info({ conversations: unused }, 'deleted conversations that nobody had used');
    },
    async () => {
      if (auditDays === undefined) return;
      const entries = await deleteOldAuditEntries(database.db, auditDays, signal);
      if (entries > 0) log.info({ entries }, 'deleted old entries of the audit log');
    },
    async () => {
      if (retentionDays === undefined) return;
      const conversations = await deleteOldConversations(database.db, retentionDays, signal);
      if (conversations > 0) log.info({ conversations }, 'deleted old conversations');
    },
    async () => {
      if (retentionDays === undefined) return;
      const calls = await deleteOldCalls({ database, jobs }, retentionDays, signal);
      if (calls > 0) log.info({ calls }, 'deleted old calls');
    },
    async () => {
      if (database.kind === 'pglite') await vacuumChangedTables(database.pool);
    },
  ]);
}

/** Schedules a run. At most one run is scheduled for all processes. */
export const sendHourlyMaintenance = (jobs: Jobs, startAfter = 0): Promise<void> =>
  jobs.send('hourly-maintenance', {}, { startAfter });
