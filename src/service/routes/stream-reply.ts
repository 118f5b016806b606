import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { stream } from 'hono/streaming';
import type { StreamingApi } from 'hono/utils/stream';
import { ConversationError } from '../conversation/conversation-error.ts';
import type { Reply } from '../conversation/reply.ts';
import { answerBody } from './answer-body.ts';

const eventStream = 'text/event-stream';

/** Whether the client would rather have an event stream than JSON. */
export function acceptsEventStream(c: Context): boolean {
  const supports = ['application/json', eventStream];
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === eventStream;
}

/**
 * Answers with the events of a reply (our addition: "Streaming"): `delta`, `function_call`, at last `done` with the
 * JSON answer or `error` with the JSON error. While the model is silent a comment every `keepAliveMs` milliseconds
 * keeps proxies from closing the connection. When the client goes away the stream ends and the reply goes on.
 */
export function streamReply(c: Context, reply: Reply, keepAliveMs: number): Response {
  c.header('Content-Type', eventStream);
  c.header('X-Accel-Buffering', 'no');
  return stream(c, async (output) => {
    const keepAlive = setInterval(() => void output.write(': keep-alive\n\n'), keepAliveMs);
    const gone = Promise.withResolvers<undefined>();
    output.onAbort(() => {
      gone.resolve(undefined);
    });
    try {
      await Promise.race([gone.promise, forward(reply, output, keepAlive)]);
    } finally {
      clearInterval(keepAlive);
    }
  });
}

async function forward(reply: Reply, output: StreamingApi, keepAlive: NodeJS.Timeout): Promise<void> {
  const write = (event: string, data: unknown) => {
    keepAlive.refresh();
    // JSON has no line breaks, so one line of data holds it.
    return output.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  for await (const { type, ...data } of reply.events()) {
    if (output.aborted) return;
    await write(type, data);
  }
  try {
    await write('done', answerBody(await reply.answer));
  } catch (error) {
    if (!(error instanceof ConversationError)) throw error;
    await write('error', error.toBody());
  }
}
