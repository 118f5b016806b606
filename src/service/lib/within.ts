/**
 * Does work under a time limit. `AbortSignal.timeout` would keep its timer, and all that hangs on it, until the time is
 * over; this one lets go of everything when the work is done.
 *
 * @param signals that end the work as well.
 * @returns what the work returns. Its signal's reason is a `TimeoutError` when the time was over first.
 */
export async function within<Outcome>(
  milliseconds: number,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`It took longer than ${milliseconds} ms.`, 'TimeoutError'));
  }, milliseconds);
  const ends = signals.map((signal) => {
    const end = () => {
      controller.abort(signal.reason);
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    return () => {
      signal.removeEventListener('abort', end);
    };
  });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const letGo of ends) letGo();
  }
}

/** Resolves when a promise does, or after a time limit. */
export async function waitAtMost(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  const passed = Promise.withResolvers<undefined>();
  const timer = setTimeout(passed.resolve, milliseconds, undefined);
  await Promise.race([promise, passed.promise]);
  clearTimeout(timer);
}
