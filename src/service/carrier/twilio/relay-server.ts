import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { Refusal } from '../../lib/refusal.ts';
import type { CallHandler } from '../carrier.ts';
import { checkCallId, runCheckCall, isCheckToken } from './check-call.ts';
import { readFrame } from './relay-frames.ts';
import type { RelayFrame, SetupFrame } from './relay-frames.ts';
import { RelayLine } from './relay-line.ts';
import type { Signature } from './signature.ts';
import { closeCodes, SignedSockets } from './signed-sockets.ts';
import type { WebhookUrls } from './webhook-urls.ts';

export interface RelayServerDependencies {
  handler: () => CallHandler;
  signature: Signature;
  authToken: string;
  urls: WebhookUrls;
  log: Logger;
  /** Called when an incoming call is connected, to limit its duration and have its end reported. */
  onIncomingConnected: (setup: SetupFrame) => void;
}

/** Accepts the WebSockets of ConversationRelay. */
export class RelayServer {
  readonly #dependencies: RelayServerDependencies;
  readonly #sockets: SignedSockets;

  constructor(dependencies: RelayServerDependencies) {
    this.#dependencies = dependencies;
    const { signature, urls, log } = dependencies;
    this.#sockets = new SignedSockets({
      path: 'relay',
      signature,
      urls,
      log,
      onSocket: (webSocket, markSetUp) => {
        this.#connect(webSocket, markSetUp);
      },
    });
  }

  /** Handles a WebSocket upgrade request. Refuses it if it is not signed by the carrier. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.upgrade(request, socket, head);
  }

  /** Closes all connections. The carrier connects their calls again. */
  async close(): Promise<void> {
    await this.#sockets.close();
  }

  #connect(webSocket: WebSocket, markSetUp: () => void): void {
    let line: RelayLine | undefined;
    webSocket.on('close', (code) => {
      const isEnded = !this.#sockets.isClosing && (code === closeCodes.normal || code === 1005);
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
        markSetUp();
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
        this.#sockets.closeSoon(webSocket);
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
    (isCheck ? runCheckCall(line) : handler().onConnected(call, line))
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
