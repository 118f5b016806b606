import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { recordLimits, requestLimits } from '../../contract/limits.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { answerRefusal } from './answer-error.ts';

/** The endpoint that accepts files. */
const uploads = /^\/api\/user\/knowledgebases\/\d+\/documents$/;

/** Longest time for draining, in milliseconds. */
const drainMs = 2000;

/** Refuses bodies above the limit (interface: 413 in the format of the endpoint's other errors). */
export function limitRequestBody(): MiddlewareHandler {
  const [small, large] = [limitTo(requestLimits.requestBody), limitTo(recordLimits.knowledgebase.upload)];
  return (c, next) => (uploads.test(c.req.path) ? large : small)(c, next);
}

function limitTo(bytes: number): MiddlewareHandler {
  const limit = bodyLimit({
    maxSize: bytes,
    onError: async (c) => {
      await drain(c, bytes * 2);
      return answerRefusal(
        c,
        new ConversationError('body-too-large', `the body may have at most ${bytes} bytes`),
      );
    },
  });
  return (c, next) => {
    // Node reads no more than the announced length. Hono's check opens the body as a stream, which is slow to read.
    const announced = c.req.header('Transfer-Encoding') === undefined && c.req.header('Content-Length');
    return announced && Number(announced) <= bytes ? next() : limit(c, next);
  };
}

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
