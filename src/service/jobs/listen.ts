import { Client } from 'pg';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** Pause before a broken connection is made anew, in milliseconds. */
const pauseMs = 1000;

/**
 * Hears what is said on a channel of a PostgreSQL server, on a connection of its own. What is said while that is
 * broken is missed, so nobody may depend on hearing it.
 *
 * @returns what ends it.
 */
export function listen(
  pool: Pool,
  channel: string,
  hear: (said: string) => void,
  log: Logger,
): () => Promise<void> {
  let closed = false;
  let client: Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  const connect = async () => {
    const current = new Client(pool.options);
    client = current;
    current.on('notification', ({ payload }) => {
      if (payload !== undefined) hear(payload);
    });
    const lost = (error?: unknown) => {
      if (client !== current) return;
      client = undefined;
      void current.end().catch(() => undefined);
      if (closed) return;
      log.warn({ err: error }, 'lost the connection that tells of jobs; they are looked for meanwhile');
      retry = setTimeout(() => void connect(), pauseMs);
    };
    current.on('error', lost).on('end', lost);
    try {
      await current.connect();
      await current.query(`LISTEN "${channel}"`);
    } catch (error) {
      lost(error);
    }
  };
  const first = connect();
  return async () => {
    closed = true;
    clearTimeout(retry);
    await first;
    await client?.end().catch(() => undefined);
  };
}
