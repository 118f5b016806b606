import { EngineError } from '../engine.ts';

/**
 * Yields the items of a stream and fails if none arrives for `milliseconds`. The library's own timeout, which
 * `createEndpoint` sets, ends with the response's headers.
 *
 * @throws EngineError
 */
export async function* withIdleTimeout<Item>(
  stream: AsyncIterable<Item>,
  milliseconds: number,
): AsyncGenerator<Item> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const idle = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        idle.reject(new EngineError('the language model stopped responding'));
      }, milliseconds);
      try {
        const next = await Promise.race([iterator.next(), idle.promise]);
        if (next.done) return;
        yield next.value;
      } finally {
        clearTimeout(timer);
      }
    }
  } finally {
    // Not awaited: it resolves only with the next item, which may never arrive.
    void iterator.return?.().catch(() => undefined);
  }
}
