import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { WebSocket } from 'ws';
import type { RawData } from 'ws';
import { z } from 'zod';
import { readJson } from '../../lib/read-json.ts';
import { terminateIfSilent } from '../../lib/terminate-if-silent.ts';
import type { AsteriskConfig } from './asterisk-config.ts';

/** Asterisk answered a request with an error. */
export class AriError extends Error {
  override readonly name = 'AriError';
  readonly status: number;

  constructor(status: number, action: string, message: string) {
    super(`Asterisk refused ${action} with status ${String(status)}: ${message}`);
    this.status = status;
  }
}

const Channel = z.object({
  id: z.string(),
  state: z.string(),
  caller: z.object({ number: z.string() }),
  dialplan: z.object({ exten: z.string() }),
  channelvars: z.record(z.string(), z.string()).optional(),
});

export type AriChannel = z.infer<typeof Channel>;

const Event = z.object({
  type: z.string(),
  channel: Channel.optional(),
  args: z.array(z.string()).optional(),
  digit: z.string().optional(),
  cause: z.number().optional(),
  recording: z.object({ name: z.string(), duration: z.number().optional() }).optional(),
});

export type AriEvent = z.infer<typeof Event>;

const requestMs = 10_000;
const maxEventBytes = 1_048_576;
/** Delays between connection attempts; the last one repeats. */
const reconnectMs = [100, 500, 2000, 5000];
const pingMs = 20_000;

/** The Asterisk REST Interface: requests over HTTP, events over a WebSocket. */
export class AriClient {
  readonly #config: AsteriskConfig;
  readonly #log: Logger;
  readonly #closing = new AbortController();

  constructor(config: AsteriskConfig, log: Logger) {
    this.#config = config;
    this.#log = log;
  }

  /**
   * Sends a request.
   * @throws AriError if Asterisk refuses it.
   */
  async send(
    method: 'POST' | 'DELETE' | 'GET',
    path: string,
    query: Record<string, string> = {},
    body?: unknown,
  ): Promise<unknown> {
    const response = await this.fetch(method, path, query, AbortSignal.timeout(requestMs), body);
    const text = await response.text();
    if (!response.ok) throw new AriError(response.status, `${method} ${path}`, text.slice(0, 500));
    return text === '' ? undefined : JSON.parse(text);
  }

  async sendForChannel(path: string, query: Record<string, string>, body?: unknown): Promise<AriChannel> {
    return Channel.parse(await this.send('POST', path, query, body));
  }

  /** Like {@link send}, but does nothing if the object is gone. Returns whether it was there. */
  async sendIfThere(
    method: 'POST' | 'DELETE' | 'GET',
    path: string,
    query: Record<string, string> = {},
  ): Promise<boolean> {
    try {
      await this.send(method, path, query);
      return true;
    } catch (error) {
      if (!(error instanceof AriError && [404, 409, 412].includes(error.status))) throw error;
      return false;
    }
  }

  fetch(
    method: string,
    path: string,
    query: Record<string, string>,
    signal: AbortSignal,
    body?: unknown,
  ): Promise<Response> {
    return fetch(`${this.#config.url}/ari${path}?${new URLSearchParams(query).toString()}`, {
      method,
      headers: {
        Authorization: this.#authorization,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
  }

  /** Opens a WebSocket to Asterisk. */
  openSocket(path: string, protocol: string): WebSocket {
    return new WebSocket(`${this.#config.url.replace(/^http/, 'ws')}${path}`, [protocol], {
      headers: { Authorization: this.#authorization },
      maxPayload: maxEventBytes,
      handshakeTimeout: requestMs,
      perMessageDeflate: false,
    });
  }

  /**
   * Receives the events of an application until {@link close}. Reconnects if the connection is lost.
   *
   * @param parts.onDisconnected called after each connection, and after each failed attempt; `error` is undefined if the
   *   connection was closed.
   * @param parts.mayConnect called before each attempt.
   */
  async receive(
    application: string,
    parts: {
      onEvent: (event: AriEvent) => void;
      onConnected?: () => void;
      onDisconnected?: (error: unknown) => void;
      mayConnect?: () => Promise<boolean>;
    },
  ): Promise<void> {
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      let failure: unknown;
      try {
        if ((await parts.mayConnect?.()) !== false) {
          await this.#receiveOnce(application, parts, () => {
            failures = 0;
          });
        }
      } catch (error) {
        failure = error;
        if (failures === 0) this.#log.warn({ err: error }, 'no connection to Asterisk; retrying');
      }
      parts.onDisconnected?.(failure);
      const ms = reconnectMs[Math.min(failures++, reconnectMs.length - 1)];
      await pause(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
    }
  }

  close(): void {
    this.#closing.abort();
  }

  get #authorization(): string {
    const { user, password } = this.#config;
    return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }

  #receiveOnce(
    application: string,
    { onEvent, onConnected }: { onEvent: (event: AriEvent) => void; onConnected?: () => void },
    onOpen: () => void,
  ): Promise<void> {
    const closed = Promise.withResolvers<undefined>();
    const socket = this.openSocket(`/ari/events?app=${encodeURIComponent(application)}`, 'ari');
    const stop = () => {
      socket.terminate();
    };
    this.#closing.signal.addEventListener('abort', stop, { once: true });
    terminateIfSilent(socket, pingMs);
    socket.on('open', () => {
      onOpen();
      onConnected?.();
    });
    socket.on('message', (data: RawData) => {
      const event = readJson((data as Buffer).toString(), Event);
      if (event) onEvent(event);
      // Asterisk does not close the connection that has lost its application to another one.
      if (event?.type === 'ApplicationReplaced') socket.close();
    });
    socket.on('error', (error: Error) => {
      closed.reject(error);
    });
    socket.on('close', () => {
      closed.resolve(undefined);
    });
    return closed.promise.finally(() => {
      this.#closing.signal.removeEventListener('abort', stop);
    });
  }
}
