import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { terminateIfSilent } from '../../lib/terminate-if-silent.ts';
import { unsigned } from './signature.ts';
import type { Signature } from './signature.ts';
import type { WebhookUrls } from './webhook-urls.ts';
import { webhookPath } from './webhook-urls.ts';

/** Close codes of RFC 6455, section 7.4.1. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  invalid: 1007,
  refused: 1008,
  failed: 1011,
} as const;

/** Maximum length of a frame in bytes. A longer frame closes the connection. */
export const maxFrameBytes = 64 * 1024;

/** Milliseconds within which the first frame must arrive. */
const setupTime = 5000;

/** A connection is lost if nothing arrives within this time after a ping, in milliseconds. */
const pingTime = 15_000;

/** Milliseconds for the carrier to close the connection after the end. */
const closingTime = 5000;

export interface SignedSocketsOptions {
  path: 'relay' | 'stream';
  signature: Signature;
  urls: WebhookUrls;
  log: Logger;
  /** @param markSetUp to be called with the first frame. */
  onSocket: (webSocket: WebSocket, markSetUp: () => void) => void;
}

/** Accepts the WebSockets that the carrier opens and signs. */
export class SignedSockets {
  readonly #options: SignedSocketsOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
  });
  #isClosing = false;

  constructor(options: SignedSocketsOptions) {
    this.#options = options;
  }

  /** Whether this service closes its connections, so that the carrier opens them again. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Whether an upgrade request is for this path. */
  serves({ url }: IncomingMessage): boolean {
    return url === `${webhookPath}/${this.#options.path}`;
  }

  /** Handles an upgrade request. Refuses it if it is not signed by the carrier. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { signature, urls, log, path } = this.#options;
    socket.on('error', () => socket.destroy());
    if (!this.serves(request)) {
      refuse(socket, '404 Not Found');
      return;
    }
    const header = request.headers['x-twilio-signature'];
    if (typeof header !== 'string' || !signature.isValid(header, urls[path])) {
      log.warn({ webhook: 'WebSocket' }, unsigned);
      refuse(socket, '403 Forbidden');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#watch(webSocket);
    });
  }

  /** Closes a connection if the carrier does not. */
  closeSoon(webSocket: WebSocket): void {
    const timer = setTimeout(() => {
      webSocket.close(closeCodes.normal);
    }, closingTime);
    webSocket.on('close', () => {
      clearTimeout(timer);
    });
  }

  /** Closes all connections. The carrier connects their calls again. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const closed = Promise.withResolvers<undefined>();
    this.#server.close(() => {
      closed.resolve(undefined);
    });
    const all = [...this.#server.clients];
    for (const webSocket of all) webSocket.close(closeCodes.goingAway);
    const timer = setTimeout(() => {
      for (const webSocket of all) webSocket.terminate();
    }, closingTime);
    await closed.promise;
    clearTimeout(timer);
  }

  #watch(webSocket: WebSocket): void {
    const { onSocket } = this.#options;
    const setupTimer = setTimeout(() => {
      webSocket.close(closeCodes.refused, 'setup expected');
    }, setupTime);
    terminateIfSilent(webSocket, pingTime);
    webSocket.on('error', () => {
      // For example, a frame is too long. `close` follows.
    });
    webSocket.on('close', () => {
      clearTimeout(setupTimer);
    });
    onSocket(webSocket, () => {
      clearTimeout(setupTimer);
    });
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
