import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { routePath } from 'hono/route';
import { stream } from 'hono/streaming';
import { countStream } from '../telemetry/instruments.ts';

/** An event to send. */
export interface ServerSentEvent {
  event: string;
  /** Sent as JSON. */
  data: unknown;
  id?: string;
}

/** Number of keep-alive intervals after which a client that does not read is disconnected. */
const maxMissedKeepAlives = 3;

/**
 * Responds with an event stream. Without events, a comment every `keepAliveMs` milliseconds keeps proxies from
 * closing the connection. The stream ends when `write` resolves, when the client disconnects, and when the client
 * does not read for three keep-alive intervals.
 *
 * @param write sends the events; `send` resolves when the client can receive more, and with false after the stream
 *   has ended.
 * @param onEnd called once when the stream ends.
 */
export function eventStream(
  c: Context,
  keepAliveMs: number,
  write: (send: (event: ServerSentEvent) => Promise<boolean>) => Promise<void>,
  onEnd?: () => void,
): Response {
  c.header('Content-Type', 'text/event-stream');
  c.header('X-Accel-Buffering', 'no');
  const route = routePath(c, -1);
  return stream(c, async (output) => {
    const endStream = countStream(route);
    const disconnected = Promise.withResolvers<undefined>();
    output.onAbort(() => {
      disconnected.resolve(undefined);
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
      } else if (++missed === maxMissedKeepAlives) {
        output.abort();
        // Buffered data would keep the connection open.
        (c.env as Partial<HttpBindings> | undefined)?.outgoing?.destroy();
      }
    }, keepAliveMs);
    const sendEvent = async ({ event, data, id }: ServerSentEvent) => {
      if (output.aborted) return false;
      keepAlive.refresh();
      // JSON contains no line breaks, so it fits into one `data` line.
      const lines = `event: ${event}\ndata: ${JSON.stringify(data)}\n`;
      await send(`${id === undefined ? '' : `id: ${id}\n`}${lines}\n`);
      return !output.aborted;
    };
    try {
      await Promise.race([disconnected.promise, write(sendEvent)]);
    } finally {
      clearInterval(keepAlive);
      endStream();
      onEnd?.();
    }
  });
}
