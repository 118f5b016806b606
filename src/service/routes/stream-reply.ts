import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { stream } from 'hono/streaming';
import type { StreamingApi } from 'hono/utils/stream';
import { ConversationError } from '../lib/conversation-error.ts';
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
 * keeps proxies from closing the connection. When the client goes away, or reads nothing any more for as long as three of
 * these, the stream ends and the reply goes on.
 */
export function streamReply(c: Context, reply: Reply, keepAliveMs: number): Response {
  c.header('Content-Type', eventStream);
  c.header('X-Accel-Buffering', 'no');
  return stream(c, async (output) => {
    const gone = Promise.withResolvers<undefined>();
    output.onAbort(() => {
      gone.resolve(undefined);
    });
    let unread = 0;
    let missed = 0;
    const send = async (text: string) => {
      unread++;
      await output.write(text);
      unread--;
      missed = 0;
    };
    const keepAlive = setInterval(() => {
      if (unread === 0) {
        void send(': keep-alive\n\n');
      } else if (++missed === patience) {
        output.abort();
        // What waits to be sent would keep the connection.
        (c.env as Partial<HttpBindings> | undefined)?.outgoing?.destroy();
      }
    }, keepAliveMs);
    const sendNext = (text: string) => {
      keepAlive.refresh();
      return send(text);
    };
    try {
      await Promise.race([gone.promise, forward(reply, output, sendNext)]);
    } finally {
      clearInterval(keepAlive);
    }
  });
}

/** Keep-alives that may fall due while the client reads nothing of what came before. */
const patience = 3;

async function forward(
  reply: Reply,
  output: StreamingApi,
  send: (text: string) => Promise<void>,
): Promise<void> {
  // JSON has no line breaks, so one line of data holds it.
  const write = (event: string, data: unknown) => send(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
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
