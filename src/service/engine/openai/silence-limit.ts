import { EngineError } from '../engine.ts';

/**
 * Passes a stream's items on, and gives it up when none comes for `milliseconds`. The library's own time-out ends
 * with the response's headers.
 *
 * @throws EngineError
 */
export async function* withSilenceLimit<Item>(
  stream: AsyncIterable<Item>,
  milliseconds: number,
): AsyncGenerator<Item> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const silence = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        silence.reject(new EngineError('the language model fell silent'));
      }, milliseconds);
      try {
        const next = await Promise.race([iterator.next(), silence.promise]);
        if (next.done) return;
        yield next.value;
      } finally {
        clearTimeout(timer);
      }
    }
  } finally {
    // Not awaited: the end of a stream that has fallen silent waits for the item that does not come.
    void iterator.return?.().catch(() => undefined);
  }
}
