import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { Refusal } from '../../lib/refusal.ts';
import type { CallLine, LineFactory } from '../../realtime/line-factory.ts';
import { dtmfTones } from '../../voice/dtmf-tones.ts';
import { FrameClock } from '../../voice/frame-clock.ts';
import type { CallHandler } from '../carrier.ts';
import type { Signature } from './signature.ts';
import { closeCodes, SignedSockets } from './signed-sockets.ts';
import { readStreamFrame } from './stream-frames.ts';
import type { StartFrame, StreamFrame } from './stream-frames.ts';
import { StreamPeer } from './stream-peer.ts';
import type { WebhookUrls } from './webhook-urls.ts';

export interface StreamServerDependencies {
  handler: () => CallHandler;
  lineFactory: LineFactory;
  signature: Signature;
  urls: WebhookUrls;
  log: Logger;
  /** Ends a call at the carrier, by its id there. */
  hangUp: (carrierCallId: string) => Promise<void>;
  /** Called when an incoming call is connected, to limit its duration and have its end reported. */
  onIncomingConnected: (setup: StartFrame['start']) => void;
}

/** Accepts the WebSockets of Media Streams: the audio of calls with a realtime model. */
export class StreamServer {
  readonly #dependencies: StreamServerDependencies;
  readonly #sockets: SignedSockets;
  readonly #clock = new FrameClock();

  constructor(dependencies: StreamServerDependencies) {
    this.#dependencies = dependencies;
    const { signature, urls, log } = dependencies;
    this.#sockets = new SignedSockets({
      path: 'stream',
      signature,
      urls,
      log,
      onSocket: (webSocket, markSetUp) => {
        this.#connect(webSocket, markSetUp);
      },
    });
  }

  serves(request: IncomingMessage): boolean {
    return this.#sockets.serves(request);
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
    let stream: Stream | undefined;
    webSocket.on('close', () => {
      stream?.peer.lose();
    });
    webSocket.on('message', (data, isBinary) => {
      if (webSocket.readyState !== webSocket.OPEN) return;
      const frame = isBinary ? 'invalid' : parse(data);
      if (frame === 'invalid') {
        this.#dependencies.log.warn('the carrier sent an invalid frame, so its connection was closed');
        webSocket.close(closeCodes.invalid, 'invalid frame');
      } else if (stream) receive(stream, frame);
      else if (frame?.event === 'start') {
        markSetUp();
        stream = this.#start(webSocket, frame);
      } else if (frame) webSocket.close(closeCodes.refused, 'start expected');
    });
  }

  #start(webSocket: WebSocket, { streamSid, start }: StartFrame): Stream {
    const peer = new StreamPeer(this.#clock, (frame) => {
      if (webSocket.readyState === webSocket.OPEN) webSocket.send(JSON.stringify({ ...frame, streamSid }));
    });
    const stream: Stream = { peer, line: undefined, hasHungUp: false, isEnding: false };
    this.#runCall(webSocket, stream, start).catch((error: unknown) => {
      stream.line?.close('connection');
      const { log } = this.#dependencies;
      if (error instanceof Refusal) {
        webSocket.close(closeCodes.refused, 'unknown call');
        return;
      }
      log.error({ err: error, callId: Number(start.customParameters.callId) }, 'a call failed');
      webSocket.close(closeCodes.failed);
    });
    return stream;
  }

  /** Resolves when the conversation on this line has ended. */
  async #runCall(webSocket: WebSocket, stream: Stream, start: StartFrame['start']): Promise<void> {
    const { handler, lineFactory, log, hangUp, onIncomingConnected } = this.#dependencies;
    const { callId, token, connectToken, direction } = start.customParameters;
    const key = { callId: Number(callId), token };
    const plan = await handler().planOf(key);
    const { peer } = stream;
    const line = lineFactory.createLine(plan, {
      peer,
      log,
      control: {
        // A hang-up before the end would cut them off.
        sendDigits: (digits) => peer.playToEnd(dtmfTones(digits, peer.rate)),
        end: async (how, reason) => {
          stream.isEnding = true;
          // When the connection closes before the call ends, the carrier asks for the next step.
          if (how === 'leave') webSocket.close(closeCodes.normal);
          // Another connection may have the call by now. If the call was deleted or has failed, a job ends it.
          else if (reason === 'lease-lost' || reason === 'stopped') this.#sockets.closeSoon(webSocket);
          else {
            await hangUp(start.callSid).catch((error: unknown) => {
              log.warn({ err: error, callId: key.callId }, 'a call could not be ended at the carrier');
            });
            // Not before: if the connection closes first, the carrier asks for the next step.
            this.#sockets.closeSoon(webSocket);
          }
        },
      },
    });
    stream.line = line;
    if (stream.hasHungUp) line.close('customer');
    else if (webSocket.readyState !== webSocket.OPEN) line.close('connection');
    if (direction === 'inbound') onIncomingConnected(start);
    await handler().onConnected({ ...key, connectToken, carrierCallId: start.callSid }, line);
    await line.hangUp();
    // The connection to the model was lost: the carrier asks for the next step, which continues the call.
    if (!stream.isEnding) webSocket.close(closeCodes.normal);
  }
}

/** A connection whose call is known. */
interface Stream {
  peer: StreamPeer;
  /** Undefined while its settings are read. */
  line: CallLine | undefined;
  hasHungUp: boolean;
  /** Whether the conversation ends the connection. */
  isEnding: boolean;
}

function receive(stream: Stream, frame: StreamFrame | undefined): void {
  if (frame?.event === 'media' && frame.media.track === 'inbound') stream.peer.receive(frame.media.payload);
  else if (frame?.event === 'dtmf') stream.line?.press(frame.dtmf.digit);
  else if (frame?.event === 'stop') {
    stream.hasHungUp = true;
    stream.line?.close('customer');
  }
}

function parse(data: RawData): StreamFrame | undefined | 'invalid' {
  try {
    return readStreamFrame((data as Buffer).toString('utf8'));
  } catch {
    return 'invalid';
  }
}
