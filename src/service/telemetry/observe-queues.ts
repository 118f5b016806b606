import { metrics } from '@opentelemetry/api';
import type { ObservableResult } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { scope } from './instruments.ts';

/**
 * Measures the background jobs that are due, by queue, whenever metrics are read. All processes of a database report the
 * same values.
 *
 * @returns a function that ends it.
 */
export function observeQueues({ pool }: Database, queueNames: readonly string[], log: Logger): () => void {
  const gauge = metrics.getMeter(scope).createObservableGauge('chat.queue.depth', {
    description: 'Background jobs that are due but not running, by queue',
  });
  const observe = async (result: ObservableResult) => {
    try {
      const { rows } = await pool.query<{ name: string; due: number }>(
        `SELECT name, count(*)::integer AS due FROM jobs.job
         WHERE state < 'active' AND start_after <= now() GROUP BY name`,
      );
      const due = new Map(rows.map((row) => [row.name, row.due]));
      for (const queue of queueNames) result.observe(due.get(queue) ?? 0, { queue });
    } catch (error) {
      log.warn({ err: error }, 'the background jobs could not be counted for the metrics');
    }
  };
  gauge.addCallback(observe);
  return () => {
    gauge.removeCallback(observe);
  };
}
