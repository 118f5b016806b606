import type {
  ConversationItem,
  RealtimeClientEvent,
  RealtimeSessionCreateRequest,
} from 'openai/resources/realtime/realtime';
import type { Logger } from 'pino';
import { WebSocket } from 'ws';
import type { RawData } from 'ws';
import { EngineError } from '../engine/engine.ts';
import { openAiUrl } from '../engine/read-endpoint.ts';
import type { RealtimeEndpoint } from '../engine/read-models.ts';
import { terminateIfSilent } from '../lib/terminate-if-silent.ts';
import { readRealtimeEvent } from './realtime-events.ts';
import type { RealtimeEvent } from './realtime-events.ts';

export type { ConversationItem, RealtimeClientEvent, RealtimeSessionCreateRequest };

/** Sample rate in both directions: the only rate of the protocol for PCM. */
export const realtimeRate = 24_000;

const openMs = 10_000;
/** A customer hears nothing from a lost connection, so it must be replaced soon. */
const pingMs = 5000;
/** A second of audio takes 64 kB. */
const maxEventBytes = 4 * 1024 * 1024;

/**
 * A session with a realtime model. Only the service connects to the model: a client can change the instructions and
 * tools of its session, so a visitor's browser must not hold one.
 */
export class RealtimeSession {
  readonly #socket: WebSocket;
  readonly #log: Logger;
  readonly #closed = Promise.withResolvers<undefined>();
  #onEvent: (event: RealtimeEvent) => void = () => undefined;

  private constructor(socket: WebSocket, log: Logger) {
    this.#socket = socket;
    this.#log = log;
    terminateIfSilent(socket, pingMs);
    socket.on('close', () => {
      this.#closed.resolve(undefined);
    });
    socket.on('error', (error) => {
      this.#log.warn({ err: error }, 'the connection to the realtime model failed');
    });
    socket.on('message', (data: RawData) => {
      const event = readRealtimeEvent((data as Buffer).toString());
      if (event) this.#onEvent(event);
      else this.#log.warn('the realtime model sent an unreadable event');
    });
  }

  /**
   * Connects and applies the settings.
   *
   * @throws EngineError if the endpoint is not reachable or refuses the settings.
   */
  static async open(
    endpoint: RealtimeEndpoint,
    settings: RealtimeSessionCreateRequest,
    log: Logger,
  ): Promise<RealtimeSession> {
    const session = new RealtimeSession(connect(endpoint), log);
    const answer = Promise.withResolvers<undefined>();
    session.#onEvent = (event) => {
      if (event.type === 'session.created') session.send({ type: 'session.update', session: settings });
      else if (event.type === 'session.updated') answer.resolve(undefined);
      else if (event.type === 'error') answer.reject(failure(event.error.message));
    };
    void session.closed.then(() => {
      answer.reject(failure('it closed the connection'));
    });
    const timer = setTimeout(() => {
      answer.reject(failure('it did not answer in time'));
    }, openMs);
    try {
      await answer.promise;
      return session;
    } catch (error) {
      session.close();
      throw error;
    } finally {
      clearTimeout(timer);
      session.#onEvent = () => undefined;
    }
  }

  /** Resolves when the connection has ended for any reason. */
  get closed(): Promise<undefined> {
    return this.#closed.promise;
  }

  listen(onEvent: (event: RealtimeEvent) => void): void {
    this.#onEvent = onEvent;
  }

  send(event: RealtimeClientEvent): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(event));
  }

  close(): void {
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#socket.terminate();
    else this.#socket.close(1000);
  }
}

function connect({ baseUrl = openAiUrl, apiKey, model }: RealtimeEndpoint): WebSocket {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/realtime`);
  url.protocol = url.protocol.replace('http', 'ws');
  url.searchParams.set('model', model);
  return new WebSocket(url, {
    maxPayload: maxEventBytes,
    handshakeTimeout: openMs,
    ...(apiKey !== undefined && { headers: { Authorization: `Bearer ${apiKey}` } }),
  });
}

/** Visitors see the message, so only the owner gets the endpoint's own message. */
const failure = (reason: string) =>
  new EngineError('The voice model is not available.', { ownerReason: `The realtime model: ${reason}` });
