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
  /** Where others find the service. */
  publicUrl: () => string;
  /** Longest time for one evaluation. */
  timeoutMs: number;
  /** Pauses before further tries of an evaluation; after the last one it goes on without. */
  retryMs: readonly number[];
}

/** The job that handles an end. */
export interface EndedJob {
  /** Evaluations that failed before. */
  attempt: number;
  /** Nobody tries again if this fails. */
  isLastTry: boolean;
  signal: AbortSignal;
  /** Sends the job anew, with the number of evaluations that failed. */
  again: (attempt: number, pauseMs: number) => Promise<void>;
}

/**
 * Evaluates and stores what came of it. If the engine fails the job is sent again for later. After the last try, of the
 * evaluation or of the job, it goes on without an evaluation: the webhook must neither wait for ever nor be lost.
 *
 * @param store also sees to the webhook; it changes nothing if it throws.
 */
export async function evaluateAndStore(
  parts: EndedParts,
  ended: Ended,
  job: EndedJob,
  store: (evaluated: Evaluated | undefined) => Promise<void>,
): Promise<void> {
  const evaluated = await evaluateOrRetry(parts, ended, job);
  if (evaluated === 'later') return;
  try {
    await store(evaluated);
  } catch (error) {
    if (!job.isLastTry || !evaluated) throw error;
    parts.log.error({ err: error }, 'an evaluation could not be stored; it goes on without');
    await store(undefined);
  }
}

async function evaluateOrRetry(
  { engine, log, timeoutMs, retryMs }: EndedParts,
  ended: Ended,
  { attempt, isLastTry, signal, again }: EndedJob,
): Promise<Evaluated | 'later' | undefined> {
  try {
    return await evaluateEnded(engine, ended, timeoutMs, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (!(error instanceof EngineError)) {
      if (!isLastTry) throw error;
      log.error({ err: error }, 'an evaluation failed unexpectedly; it goes on without');
      return undefined;
    }
    const pause = retryMs[attempt];
    log.warn({ reason: error.message, final: pause === undefined }, 'an evaluation failed');
    if (pause === undefined) return undefined;
    await again(attempt + 1, pause);
    return 'later';
  }
}
