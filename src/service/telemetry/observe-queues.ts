import { metrics } from '@opentelemetry/api';
import type { ObservableResult } from '@opentelemetry/api';
import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { catalog } from './catalog.ts';
import { scope } from './instruments.ts';

/**
 * Measures the background jobs that are due, by queue, whenever metrics are read: as of at most a minute ago. All
 * processes of a database report the same values.
 *
 * @returns a function that ends it.
 */
export function observeQueues(boss: PgBoss, queueNames: readonly string[], log: Logger): () => void {
  const gauge = metrics.getMeter(scope).createObservableGauge('chat.queue.depth', {
    description: catalog['chat.queue.depth'].description,
  });
  const observe = async (result: ObservableResult) => {
    try {
      for (const queue of queueNames) {
        // `force`, since pg-boss only counts by itself while workers run.
        const [stats] = await boss.getQueueStats(queue, { force: true });
        result.observe(stats?.readyCount ?? 0, { queue });
      }
    } catch (error) {
      log.warn({ err: error }, 'the background jobs could not be counted for the metrics');
    }
  };
  gauge.addCallback(observe);
  return () => {
    gauge.removeCallback(observe);
  };
}
