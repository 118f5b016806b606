import { metrics } from '@opentelemetry/api';
import type { ObservableResult } from '@opentelemetry/api';
import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { catalog } from './catalog.ts';
import { scope } from './instruments.ts';
import { waitWithTimeout } from '../lib/with-timeout.ts';

/** Prometheus waits for 10 seconds. While the database does not respond, the other metrics must arrive. */
const maxWaitMs = 2000;

/**
 * Measures the background jobs that are due, by queue, whenever metrics are read: as of at most a minute ago, or as last
 * counted while the database does not respond. All processes of a database report the same values.
 *
 * @returns a function that ends it.
 */
export function observeQueues(boss: PgBoss, queueNames: readonly string[], log: Logger): () => void {
  const gauge = metrics.getMeter(scope).createObservableGauge('chat.queue.depth', {
    description: catalog['chat.queue.depth'].description,
  });
  const due = new Map<string, number>();
  const count = async (): Promise<void> => {
    try {
      for (const queue of queueNames) {
        // `force`, since pg-boss only counts by itself while workers run.
        const [stats] = await boss.getQueueStats(queue, { force: true });
        due.set(queue, stats?.readyCount ?? 0);
      }
    } catch (error) {
      log.warn({ err: error }, 'the background jobs could not be counted for the metrics');
    }
  };
  let counting: Promise<void> | undefined;
  const observe = async (result: ObservableResult) => {
    counting ??= count().finally(() => {
      counting = undefined;
    });
    await waitWithTimeout(maxWaitMs, counting);
    for (const [queue, jobs] of due) result.observe(jobs, { queue });
  };
  gauge.addCallback(observe);
  return () => {
    gauge.removeCallback(observe);
  };
}
