import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { limits, recordLimits } from '../../contract/limits.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { answerRefusal } from './answer-error.ts';

/** The endpoint that accepts files. */
const uploads = /^\/api\/user\/knowledgebases\/\d+\/documents$/;

/** Refuses bodies above the limit (interface: 413 in the format of the endpoint's other errors). */
export function limitRequestBody(): MiddlewareHandler {
  const [small, large] = [limitTo(limits.requestBody), limitTo(recordLimits.knowledgebase.upload)];
  return (c, next) => (uploads.test(c.req.path) ? large : small)(c, next);
}

function limitTo(bytes: number): MiddlewareHandler {
  return bodyLimit({
    maxSize: bytes,
    onError: async (c) => {
      await drain(c.req.raw.body, bytes);
      // The rest of the body is never read, so the connection cannot be reused.
      c.header('Connection', 'close');
      return answerRefusal(
        c,
        new ConversationError('body-too-large', `the body may have at most ${bytes} bytes`),
      );
    },
  });
}

/** Longest time for draining, in milliseconds. */
const drainMs = 2000;

/**
 * Discards up to so many bytes of a body: a client that is still sending when the connection is closed may lose the
 * response.
 */
async function drain(body: ReadableStream<Uint8Array> | null, bytes: number): Promise<void> {
  if (!body || body.locked) return;
  let left = bytes * 2;
  const discard = new WritableStream<Uint8Array>({
    write(chunk) {
      left -= chunk.length;
      if (left < 0) throw new Error('There is too much to drain.');
    },
  });
  await body.pipeTo(discard, { signal: AbortSignal.timeout(drainMs) }).catch(() => undefined);
}
