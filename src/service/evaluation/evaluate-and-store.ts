import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { isTransientError } from '../db/is-transient-error.ts';
import type { Engine } from '../engine/engine.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { evaluateEnded, EvaluationTimeout } from './evaluate-ended.ts';
import type { EndedTranscript, EvaluationResult } from './evaluate-ended.ts';

/** Dependencies for handling the end of a chat or a call. */
export interface EvaluationDependencies {
  database: Database;
  jobs: Jobs;
  engine: Engine;
  log: Logger;
  /** Returns the service's public origin. */
  publicUrl: () => string;
  /** Time limit of an evaluation, in milliseconds; at most four minutes. */
  timeoutMs: number;
}

/**
 * Tries of an evaluation, whose pauses cover an outage of the model of a few minutes, and of one that takes too long,
 * since the webhook waits for it.
 */
const maxTries = 6;
const maxSlowTries = 2;

/** The try of the job that handles an end. */
export interface EndingTry {
  /** Number of earlier tries. */
  retryCount: number;
  signal: AbortSignal;
}

/**
 * Evaluates a transcript and stores the result. After the last try, continues without an evaluation, so that the webhook
 * is always sent. If the result could not be stored since the database was not available, the job is always retried.
 *
 * @param store stores the evaluation and creates the webhook atomically.
 * @throws errors after which the job should be retried.
 */
export async function evaluateAndStore(
  { engine, log, timeoutMs }: EvaluationDependencies,
  ended: EndedTranscript,
  { retryCount, signal }: EndingTry,
  store: (evaluated: EvaluationResult | undefined) => Promise<void>,
): Promise<void> {
  const giveUp = async (error: unknown, tries: number) => {
    if (signal.aborted || retryCount + 1 < tries) throw error;
    log.error({ err: error }, 'an evaluation failed or could not be stored; continuing without it');
    await store(undefined);
  };
  let evaluated: EvaluationResult | undefined;
  try {
    evaluated = await evaluateEnded(engine, ended, timeoutMs, signal);
  } catch (error) {
    await giveUp(error, error instanceof EvaluationTimeout ? maxSlowTries : maxTries);
    return;
  }
  try {
    await store(evaluated);
  } catch (error) {
    if (isTransientError(error)) throw error;
    await giveUp(error, maxTries);
  }
}
