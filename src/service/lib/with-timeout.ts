/**
 * Runs work with a time limit. Unlike `AbortSignal.timeout`, it keeps no timer after the work is done.
 *
 * @param signals also abort the work.
 * @returns the result of the work. Its signal's reason is a `TimeoutError` if the time limit was exceeded.
 */
export async function withTimeout<Outcome>(
  milliseconds: number,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`It took longer than ${milliseconds} ms.`, 'TimeoutError'));
  }, milliseconds);
  const cleanups = signals.map((signal) => {
    const abort = () => {
      controller.abort(signal.reason);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    return () => {
      signal.removeEventListener('abort', abort);
    };
  });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const cleanUp of cleanups) cleanUp();
  }
}

/** Resolves when a promise does, or after a time limit. */
export async function waitWithTimeout(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(timeout.resolve, milliseconds, undefined);
  await Promise.race([promise, timeout.promise]);
  clearTimeout(timer);
}
