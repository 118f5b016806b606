import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { stream } from 'hono/streaming';

/** An event as it is sent. */
export interface ServerSentEvent {
  event: string;
  /** Becomes JSON. */
  data: unknown;
  id?: string;
}

/** Keep-alive comments that may fall due while the client does not read. */
const patience = 3;

/**
 * Answers with an event stream. While there are no events, a comment every `keepAliveMs` milliseconds keeps proxies from
 * closing the connection. The stream ends when `write` is done, when the client disconnects, and when the client has not
 * read for as long as three comments.
 *
 * @param write sends the events in turn; a call of `send` resolves when the client has room for more, and with false
 *   once the stream has ended.
 * @param onEnd is called once, however the stream ends.
 */
export function eventStream(
  c: Context,
  keepAliveMs: number,
  write: (send: (event: ServerSentEvent) => Promise<boolean>) => Promise<void>,
  onEnd?: () => void,
): Response {
  c.header('Content-Type', 'text/event-stream');
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
    const sendEvent = async ({ event, data, id }: ServerSentEvent) => {
      if (output.aborted) return false;
      keepAlive.refresh();
      // JSON has no line breaks, so one line of data holds it.
      const lines = `event: ${event}\ndata: ${JSON.stringify(data)}\n`;
      await send(`${id === undefined ? '' : `id: ${id}\n`}${lines}\n`);
      return !output.aborted;
    };
    try {
      await Promise.race([gone.promise, write(sendEvent)]);
    } finally {
      clearInterval(keepAlive);
      onEnd?.();
    }
  });
}
