import type { Context } from 'hono';

/** Longest time for draining, in milliseconds. */
const drainMs = 2000;

/**
 * Discards up to so many bytes of a body before its request is refused: a client or proxy that is still sending when the
 * connection is closed may lose the response.
 */
export async function drain(c: Context, bytes: number): Promise<void> {
  const { body } = c.req.raw;
  if (!body || body.locked) return;
  let left = bytes;
  const discard = new WritableStream<Uint8Array>({
    write(chunk) {
      left -= chunk.length;
      if (left < 0) throw new Error('There is too much to drain.');
    },
  });
  const isRead = await body.pipeTo(discard, { signal: AbortSignal.timeout(drainMs) }).then(
    () => true,
    () => false,
  );
  // The rest of the body is never read, so the connection cannot be reused.
  if (!isRead) c.header('Connection', 'close');
}
