import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { until } from '../until.ts';

export interface AriRequest {
  method: string;
  path: string;
  query: Record<string, string>;
}

/** A fake Asterisk. It records the requests to its REST interface, and sends the events of a test. */
export class FakeAri {
  readonly requests: AriRequest[] = [];
  /** Whether the shared application stays registered while nobody receives its events, as after a silent loss. */
  keepsApplication = false;
  /** Paths of requests that are refused. */
  refuses: RegExp | undefined;
  /** Methods and paths of requests that fail with an internal error. */
  fails: RegExp | undefined;
  /** Whether the user and the password of requests are wrong. */
  isLocked = false;
  /** The state of the trunk. */
  trunk: 'online' | 'offline' | 'unknown' = 'online';
  /** Whether the answer to a request for audio names a connection. */
  connectsMedia = true;
  /** Delays the answers to requests. */
  delay: (request: AriRequest) => Promise<unknown> | undefined = () => undefined;
  /** Whether connections that receive events are accepted. */
  accepting: Promise<boolean> = Promise.resolve(true);
  /** The applications that have tried to receive events. */
  readonly #attempts: (string | null)[] = [];
  /** Whether a channel ends by itself when it is hung up. */
  hangsUp = true;
  readonly #server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const path = pathname.replace(/^\/ari/, '');
    const sent = { method: request.method ?? '', path, query: Object.fromEntries(searchParams) };
    this.requests.push(sent);
    request.resume();
    const answer = () => {
      const status = this.#statusOf(sent);
      const body = status === 200 ? this.#answer(sent) : { message: 'refused' };
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const delay = this.delay(sent);
    if (delay) void delay.then(answer);
    else answer();
  });
  readonly #sockets = new WebSocketServer({
    server: this.#server,
    verifyClient: ({ req }: { req: IncomingMessage }, accept: (isAccepted: boolean) => void) => {
      this.#attempts.push(applicationOf(req));
      void this.accepting.then(accept);
    },
  });
  readonly #events = new Map<string, WebSocket>();
  /** By channel. */
  readonly #applications = new Map<string, string>();
  readonly #media = Promise.withResolvers<WebSocket>();

  static async start(): Promise<FakeAri> {
    const ari = new FakeAri();
    ari.#sockets.on('connection', (socket, request) => {
      const application = applicationOf(request);
      if (application === null) ari.#media.resolve(socket);
      else ari.#events.set(application, socket);
    });
    ari.#server.listen(0, '127.0.0.1');
    await once(ari.#server, 'listening');
    return ari;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** The audio connection of the first call. */
  get media(): Promise<WebSocket> {
    return this.#media.promise;
  }

  /** Waits for a request, and returns it. */
  async received(method: string, path: RegExp, count = 1): Promise<AriRequest> {
    const find = () =>
      this.requests.filter((request) => request.method === method && path.test(request.path));
    await until(() => find().length >= count);
    return find()[count - 1] as AriRequest;
  }

  /** Waits until an application receives events. */
  async connected(isWanted: (application: string) => boolean): Promise<string> {
    const find = () => [...this.#events.keys()].find(isWanted);
    await until(() => find() !== undefined);
    return find() ?? '';
  }

  send(application: string, type: string, channelId: string, more: object = {}): void {
    this.sendText(application, JSON.stringify({ type, channel: channel(channelId), ...more }));
  }

  /** Sends a message that may be invalid. */
  sendText(application: string, text: string): void {
    this.#events.get(application)?.send(text);
  }

  /** Drops the event connection of an application. Resolves when it tries to receive events again. */
  async disconnect(application: string): Promise<void> {
    const attempt = this.#nextAttempt(application);
    this.#events.get(application)?.terminate();
    await attempt;
  }

  /**
   * Reports that another connection receives the events of an application now; keeps the one that has lost it. Resolves
   * when that tries to receive events again.
   */
  async replace(application: string): Promise<void> {
    const attempt = this.#nextAttempt(application);
    this.sendText(application, JSON.stringify({ type: 'ApplicationReplaced', application }));
    await attempt;
  }

  async #nextAttempt(application: string): Promise<void> {
    const attempts = () => this.#attempts.filter((attempt) => attempt === application).length;
    const before = attempts();
    await until(() => attempts() > before);
  }

  /** Drops the event connection of an application. Resolves when it receives events again. */
  async reconnect(application: string): Promise<void> {
    const lost = this.#events.get(application);
    await this.disconnect(application);
    await until(() => this.#events.get(application) !== lost);
    // The carrier handles an event only after the connection has opened.
    this.send(application, 'StasisStart', 'unknown-channel');
    await this.received('DELETE', /unknown-channel/);
  }

  async close(): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #statusOf({ method, path }: AriRequest): number {
    if (this.isLocked) return 401;
    if (this.fails?.test(`${method} ${path}`) === true) return 500;
    if (this.refuses?.test(path) === true) return 404;
    return path.startsWith('/applications/') && !this.keepsApplication ? 404 : 200;
  }

  #answer({ method, path, query }: AriRequest): unknown {
    if (path === '/asterisk/info') return { system: { version: '22.8.0' } };
    if (path.startsWith('/endpoints/')) return { state: this.trunk };
    if (method === 'POST' && path === '/bridges') return { id: 'bridge' };
    if (path === '/channels/externalMedia') {
      const { channelId = '', app = '' } = query;
      setImmediate(() => {
        this.send(app, 'StasisStart', channelId);
      });
      const channelvars = this.connectsMedia ? { MEDIA_WEBSOCKET_CONNECTION_ID: 'media' } : {};
      return { ...channel(channelId), channelvars };
    }
    if (query['app'] !== undefined)
      this.#applications.set(query['channelId'] ?? path.split('/')[2] ?? '', query['app']);
    const [, id] = (method === 'DELETE' && /^\/channels\/([^/]+)$/.exec(path)) || [];
    if (id !== undefined && this.hangsUp) {
      setImmediate(() => {
        this.send(this.#applications.get(id) ?? '', 'ChannelDestroyed', id, { cause: 16 });
      });
    }
    return channel(query['channelId'] ?? 'channel');
  }
}

const applicationOf = ({ url = '' }: IncomingMessage) =>
  new URL(url, 'http://localhost').searchParams.get('app');

const channel = (id: string) => ({
  id,
  state: 'Up',
  caller: { number: '4930111' },
  dialplan: { exten: '4930222' },
});
