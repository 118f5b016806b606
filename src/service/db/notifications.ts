import { Client } from 'pg';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { Connection } from './database.ts';
import type { EmbeddedListener } from './embedded-postgres.ts';

/** Pause before a lost connection is opened again, in milliseconds. */
const reconnectMs = 1000;

/** Pause between two probes, in milliseconds. A connection whose probe has not arrived by the next one is replaced. */
const probeMs = 15_000;

/** The payload of a probe. */
const probe = '';

/**
 * Receives the notifications (`NOTIFY`) of one channel: on a PostgreSQL server with a dedicated connection, on an
 * embedded database with its only one. Notifications are lost while the connection is down, and never arrive through a
 * pooler in transaction mode without a direct address, so {@link isReliable} says whether readers have to poll.
 */
export class Notifications {
  readonly #database: Connection;
  readonly #channel: string;
  readonly #onNotification: (payload: string) => void;
  readonly #log: Logger;
  readonly #onListening: () => void;
  readonly #listener: EmbeddedListener;
  #client: Client | undefined;
  #receiving: PoolClient | Client | undefined;
  #opening: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isVerified = false;
  /** Whether the log has the loss of the connection: attempts that fail later are not logged. */
  #isLossLogged = false;
  #isClosed = false;

  /** @param onListening called whenever it starts to listen: earlier notifications were lost. */
  constructor(
    database: Connection,
    channel: string,
    onNotification: (payload: string) => void,
    log: Logger,
    onListening: () => void = () => undefined,
  ) {
    this.#database = database;
    this.#channel = channel;
    this.#onNotification = onNotification;
    this.#log = log;
    this.#onListening = onListening;
    this.#listener = {
      channel,
      onLost: () => {
        this.#isVerified = false;
      },
      onListening: () => {
        this.#isVerified = true;
        onListening();
      },
    };
  }

  /** Whether the latest probe was received, so notifications arrive. */
  get isReliable(): boolean {
    return this.#isVerified;
  }

  /** Starts to listen. A lost connection is replaced until `close`. */
  open(): void {
    if (this.#isClosed) return;
    this.#opening ??= this.#database.kind === 'pglite' ? this.#listenEmbedded() : this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#opening;
    if (this.#database.kind === 'pglite') this.#database.pool.off('connect', this.#receiveFrom);
    this.#database.listeners?.delete(this.#listener);
    this.#receiving?.off('notification', this.#receive);
    await this.#client?.end().catch(() => undefined);
  }

  async #listenEmbedded(): Promise<void> {
    const { pool } = this.#database;
    // The pool replaces its client after a failed query; the session and its LISTEN stay.
    pool.on('connect', this.#receiveFrom);
    this.#database.listeners?.add(this.#listener);
    try {
      const client = await pool.connect();
      this.#receiveFrom(client);
      await client.query(`LISTEN "${this.#channel}"`).finally(() => {
        client.release();
      });
      this.#listener.onListening();
    } catch (error) {
      this.#log.warn({ err: error }, 'the embedded database cannot notify; polling instead');
    }
  }

  readonly #receiveFrom = (client: PoolClient | Client): void => {
    this.#receiving?.off('notification', this.#receive);
    this.#receiving = client.on('notification', this.#receive);
  };

  readonly #receive = ({
    channel,
    payload = probe,
  }: {
    channel: string;
    payload?: string | undefined;
  }): void => {
    if (channel !== this.#channel) return;
    if (payload === probe) {
      this.#isVerified = true;
      this.#isLossLogged = false;
    } else this.#onNotification(payload);
  };

  async #connect(): Promise<void> {
    const { pool, directUrl } = this.#database;
    const client = new Client({
      ...pool.options,
      ...(directUrl !== undefined && { connectionString: directUrl }),
      keepAlive: true,
    });
    this.#client = client;
    this.#receiveFrom(client);
    client.on('error', (error) => {
      this.#reconnect(client, error);
    });
    client.on('end', () => {
      this.#reconnect(client);
    });
    try {
      await client.connect();
      await client.query(`LISTEN "${this.#channel}"`);
      this.#probe(client);
      this.#onListening();
    } catch (error) {
      this.#reconnect(client, error);
    }
  }

  /** A probe is received like any notification, on the connection that sent it. */
  #probe(client: Client): void {
    client.query('SELECT pg_notify($1, $2)', [this.#channel, probe]).catch((error: unknown) => {
      this.#reconnect(client, error);
    });
    this.#timer = setTimeout(() => {
      if (!this.#isVerified) {
        this.#reconnect(client, new Error('A notification did not arrive.'));
        return;
      }
      this.#isVerified = false;
      this.#probe(client);
    }, probeMs);
  }

  #reconnect(client: Client, error?: unknown): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = undefined;
    this.#isVerified = false;
    clearTimeout(this.#timer);
    if (!this.#isLossLogged) {
      this.#log.warn({ err: error }, 'lost the connection for notifications; reconnecting');
    }
    this.#isLossLogged = true;
    void client.end().catch(() => undefined);
    this.#timer = setTimeout(() => {
      this.#opening = this.#connect();
    }, reconnectMs);
  }
}
