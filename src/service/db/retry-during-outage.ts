import { setTimeout as pause } from 'node:timers/promises';
import { isTransientError } from './is-transient-error.ts';

const pauseMs = 250;

export interface OutageOptions {
  /** Whether to try again after a failure; otherwise its error is thrown. */
  mayRetry: () => boolean;
  /** Called once, before the second attempt: an outage must not fill the log. */
  onFirstFailure: (error: unknown) => void;
}

/**
 * Repeats a change until the database is available. It must have the same effect if it is repeated: an attempt may have
 * succeeded although its response was lost.
 */
export async function retryDuringOutage<Result>(
  change: () => Promise<Result>,
  { mayRetry, onFirstFailure }: OutageOptions,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      if (!isTransientError(error) || !mayRetry()) throw error;
      if (attempt === 1) onFirstFailure(error);
      await pause(pauseMs);
    }
  }
}
