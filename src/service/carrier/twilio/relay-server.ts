import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import type { RawData, WebSocket } from 'ws';
import { Refusal } from '../../lib/refusal.ts';
import type { CallHandler } from '../carrier.ts';
import { checkCallId, holdCheckCall, isCheckToken } from './check-call.ts';
import { maxFrameBytes, readFrame } from './relay-frames.ts';
import type { RelayFrame, SetupFrame } from './relay-frames.ts';
import { RelayLine } from './relay-line.ts';
import { unsigned } from './signature.ts';
import type { Signature } from './signature.ts';
import type { WebhookUrls } from './webhook-urls.ts';
import { webhookPath } from './webhook-urls.ts';

/** Close codes of RFC 6455, section 7.4.1. */
const closeCodes = { normal: 1000, goingAway: 1001, invalid: 1007, refused: 1008, failed: 1011 } as const;

/** Times in milliseconds. */
export interface RelayTimes {
  /** The first frame must arrive within this time. */
  setup: number;
  /** A connection is lost if it does not answer a ping within this time. */
  ping: number;
  /** Time for the relay to close the connection after the last frame. */
  closing: number;
}

const defaultTimes: RelayTimes = { setup: 5000, ping: 15_000, closing: 5000 };

export interface RelayServerDependencies {
  handler: () => CallHandler;
  signature: Signature;
  authToken: string;
  urls: WebhookUrls;
  log: Logger;
  /** Called when an incoming call is connected, to limit its duration and have its end reported. */
  onIncomingConnected: (setup: SetupFrame) => void;
  times?: RelayTimes;
}

/** Accepts the WebSockets of ConversationRelay. */
export class RelayServer {
  readonly #dependencies: RelayServerDependencies;
  readonly #times: RelayTimes;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
  });
  #isClosing = false;

  constructor(dependencies: RelayServerDependencies) {
    this.#dependencies = dependencies;
    this.#times = dependencies.times ?? defaultTimes;
  }

  /** Handles a WebSocket upgrade request. Refuses it if it is not signed by the carrier. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { signature, urls, log } = this.#dependencies;
    socket.on('error', () => socket.destroy());
    if (request.url !== `${webhookPath}/relay`) {
      refuse(socket, '404 Not Found');
      return;
    }
    const header = request.headers['x-twilio-signature'];
    if (typeof header !== 'string' || !signature.isValid(header, urls.relay)) {
      log.warn({ webhook: 'WebSocket' }, unsigned);
      refuse(socket, '403 Forbidden');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#connect(webSocket);
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
    }, this.#times.closing);
    await closed.promise;
    clearTimeout(timer);
  }

  #connect(webSocket: WebSocket): void {
    let line: RelayLine | undefined;
    let isAlive = true;
    const setupTimer = setTimeout(() => {
      webSocket.close(closeCodes.refused, 'setup expected');
    }, this.#times.setup);
    const pingTimer = setInterval(() => {
      if (!isAlive) {
        webSocket.terminate();
        return;
      }
      isAlive = false;
      webSocket.ping();
    }, this.#times.ping);
    webSocket.on('pong', () => {
      isAlive = true;
    });
    webSocket.on('error', () => {
      // For example, a frame is too long. `close` follows.
    });
    webSocket.on('close', (code) => {
      clearTimeout(setupTimer);
      clearInterval(pingTimer);
      const isEnded = !this.#isClosing && (code === closeCodes.normal || code === 1005);
      line?.close(isEnded ? 'customer' : 'connection');
    });
    webSocket.on('message', (data, isBinary) => {
      if (webSocket.readyState !== webSocket.OPEN) return;
      const frame = isBinary ? 'invalid' : parse(data);
      if (frame === 'invalid') {
        this.#dependencies.log.warn('the carrier sent an invalid frame, so its connection was closed');
        webSocket.close(closeCodes.invalid, 'invalid frame');
        line?.close('connection');
      } else if (line) {
        if (frame?.type === 'error') this.#logFailure(frame.description);
        else if (frame) line.receive(frame);
      } else if (frame?.type === 'setup') {
        clearTimeout(setupTimer);
        line = this.#startLine(webSocket, frame);
      } else {
        webSocket.close(closeCodes.refused, 'setup expected');
      }
    });
  }

  #startLine(webSocket: WebSocket, setup: SetupFrame): RelayLine {
    const { handler, authToken, urls, log, onIncomingConnected } = this.#dependencies;
    const { callId, token, connectToken, speed, interruptingWords, languages } = setup.customParameters;
    const connection = {
      send: (frame: object) => {
        webSocket.send(JSON.stringify(frame));
      },
      closeSoon: () => {
        const timer = setTimeout(() => {
          webSocket.close(closeCodes.normal);
        }, this.#times.closing);
        webSocket.on('close', () => {
          clearTimeout(timer);
        });
      },
    };
    const settings = {
      speed: Number(speed),
      interruptingWords: Number(interruptingWords),
      languages: languages.split(','),
    };
    const line = new RelayLine(connection, settings, urls.silence);
    const call = { callId: Number(callId), token, connectToken, carrierCallId: setup.callSid };
    const isCheck = call.callId === checkCallId && isCheckToken(token, authToken);
    (isCheck ? holdCheckCall(line) : handler().onConnected(call, line))
      .then(() => line.hangUp())
      .catch((error: unknown) => {
        line.close('connection');
        if (error instanceof Refusal) {
          webSocket.close(closeCodes.refused, 'unknown call');
          return;
        }
        log.error({ err: error, callId: call.callId }, 'a call failed');
        webSocket.close(closeCodes.failed);
      });
    if (setup.direction === 'inbound') onIncomingConnected(setup);
    return line;
  }

  /** Only the carrier's error code is logged: its text may quote the conversation. */
  #logFailure(description: string): void {
    const [code] = /\b\d{5}\b/.exec(description) ?? [];
    this.#dependencies.log.warn({ code }, 'the carrier reported an error on a call');
  }
}

function parse(data: RawData): RelayFrame | undefined | 'invalid' {
  try {
    return readFrame((data as Buffer).toString('utf8'));
  } catch {
    return 'invalid';
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
