import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { EngineError } from '../engine/engine.ts';
import type { Engine } from '../engine/engine.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { evaluateEnded } from './evaluate-ended.ts';
import type { Ended, Evaluated } from './evaluate-ended.ts';

/** What the end of a chat or a call is handled with. */
export interface EndedParts {
  database: Database;
  jobs: Jobs;
  engine: Engine;
  log: Logger;
  /** Longest time for one evaluation. */
  timeoutMs: number;
  /** Pauses before further tries of an evaluation; after the last one it goes on without. */
  retryMs: readonly number[];
}

/**
 * Evaluates, and if the engine fails sends the job again for later; after the last try it goes on without an
 * evaluation, because the webhook must not wait for ever.
 *
 * @param again sends the job with the number of tries that were made.
 */
export async function evaluateOrRetry(
  { engine, log, timeoutMs, retryMs }: EndedParts,
  ended: Ended,
  attempt: number,
  again: (attempt: number, startAfterMs: number) => Promise<void>,
  signal: AbortSignal,
): Promise<Evaluated | 'later' | undefined> {
  try {
    return await evaluateEnded(engine, ended, timeoutMs, signal);
  } catch (error) {
    if (!(error instanceof EngineError) || signal.aborted) throw error;
    const pause = retryMs[attempt];
    log.warn({ reason: error.message, final: pause === undefined }, 'an evaluation failed');
    if (pause === undefined) return undefined;
    await again(attempt + 1, pause);
    return 'later';
  }
}
