import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { EngineError } from '../engine/engine.ts';
import type { Engine } from '../engine/engine.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { evaluateEnded } from './evaluate-ended.ts';
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
  /** Delays before retries of an evaluation. After the last retry, the end is handled without an evaluation. */
  retryMs: readonly number[];
}

/** The job that handles an end. */
export interface EndingJob {
  /** Number of failed evaluations. */
  attempt: number;
  /** Whether the job will not be retried if it fails. */
  isLastTry: boolean;
  signal: AbortSignal;
  /** Sends the job again, with the number of failed evaluations. */
  retry: (attempt: number, pauseMs: number) => Promise<void>;
}

/**
 * Evaluates a transcript and stores the result. If the engine fails, the job is sent again with a delay. After the last
 * try of the evaluation or the job, continues without an evaluation, so that the webhook is always sent.
 *
 * @param store stores the evaluation and creates the webhook atomically.
 */
export async function evaluateAndStore(
  dependencies: EvaluationDependencies,
  ended: EndedTranscript,
  job: EndingJob,
  store: (evaluated: EvaluationResult | undefined) => Promise<void>,
): Promise<void> {
  const evaluated = await evaluateOrRetry(dependencies, ended, job);
  if (evaluated === 'later') return;
  try {
    await store(evaluated);
  } catch (error) {
    if (!job.isLastTry || !evaluated) throw error;
    dependencies.log.error({ err: error }, 'an evaluation could not be stored; continuing without it');
    await store(undefined);
  }
}

async function evaluateOrRetry(
  { engine, log, timeoutMs, retryMs }: EvaluationDependencies,
  ended: EndedTranscript,
  { attempt, isLastTry, signal, retry }: EndingJob,
): Promise<EvaluationResult | 'later' | undefined> {
  try {
    return await evaluateEnded(engine, ended, timeoutMs, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (!(error instanceof EngineError)) {
      if (!isLastTry) throw error;
      log.error({ err: error }, 'an evaluation failed unexpectedly; continuing without it');
      return undefined;
    }
    const delay = retryMs[attempt];
    log.warn({ reason: error.message, final: delay === undefined }, 'an evaluation failed');
    if (delay === undefined) return undefined;
    await retry(attempt + 1, delay);
    return 'later';
  }
}
