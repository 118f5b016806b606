import { sleep } from '../../conversation/sending/sleep.ts';
import { connectionProblem, type CallEnd } from './call-problem.ts';

/** Milliseconds for which a lost line is connected again. */
const reconnectingTime = 10_000;
/** Milliseconds between two attempts to connect it. */
const reconnectingPause = 1000;

/**
 * Connects the lost line of a call again, with as many attempts as there is time for. The service keeps the call for the
 * same time.
 *
 * @param connect makes one attempt; `limit` aborts it
 * @param signal aborts when the call is over
 * @returns why the call could not be continued; undefined if it is.
 * @throws {ChatError} `aborted` when the signal aborts
 */
export async function reconnectLostCall(
  connect: (limit: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<CallEnd | undefined> {
  const limit = AbortSignal.timeout(reconnectingTime);
  for (;;) {
    try {
      await connect(limit);
      return undefined;
    } catch (error) {
      const problem = limit.aborted ? 'lost' : connectionProblem(error);
      if (problem) return problem;
      await sleep(reconnectingPause, signal);
    }
  }
}
