import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:dgram';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { mountDemo } from '../../../demo/routes.ts';
import { demoAssistants } from '../../../src/service/seed/demo-assistants.ts';
import { assistants } from '../../../src/service/db/schema.ts';
import { seedDemo } from '../../../src/service/seed/seed-demo.ts';
import type { MediaServer, WebPeer } from '../../../src/service/voice/voice-module.ts';
import { createVoice } from '../../../src/voice/create-voice.ts';
import { newDatabase, startService } from '../service/service.ts';
import type { TestService } from '../service/service.ts';
import { join, loudness } from './tone.ts';

/** An event that the service has sent to a browser. */
interface SentEvent {
  at: number;
  type: string;
  [name: string]: unknown;
}

/** The service's side of a call. Times are milliseconds since 1970. */
export class WatchedCall {
  readonly events: SentEvent[] = [];
  /** Times at which the service discarded the audio that was still to be played. */
  readonly flushes: number[] = [];
  isClosed = false;
  /** Sample rate of the visitor's sound. */
  readonly rate: number;
  readonly #heard: { at: number; samples: Int16Array }[] = [];

  constructor(peer: WebPeer) {
    this.rate = peer.rate;
    const [open, send, flush] = [peer.open.bind(peer), peer.send.bind(peer), peer.flush.bind(peer)];
    peer.send = (event) => {
      this.events.push({ at: Date.now(), ...event } as SentEvent);
      send(event);
    };
    peer.flush = () => {
      this.flushes.push(Date.now());
      flush();
    };
    peer.open = (listener) => {
      const onAudio = listener.onAudio.bind(listener);
      listener.onAudio = (samples) => {
        this.#heard.push({ at: Date.now(), samples });
        onAudio(samples);
      };
      const onClosed = listener.onClosed.bind(listener);
      listener.onClosed = () => {
        this.isClosed = true;
        onClosed();
      };
      open(listener);
    };
  }

  /** How loud the visitor was since a time, as RMS of full scale. */
  loudness(since: number): number {
    return loudness(this.heard(since));
  }

  /** The visitor's sound since a time. */
  heard(since: number): Int16Array {
    return join(this.#heard.filter(({ at }) => at >= since).map(({ samples }) => samples));
  }

  /** The events of a type since a time. */
  sent(type: string, since = 0): SentEvent[] {
    return this.events.filter((event) => event.at >= since && event.type === type);
  }
}

/** The whole service with the demo's shop and offline speech, and its network. */
export interface CallService extends TestService {
  readonly calls: WatchedCall[];
  /** Whether the network drops every datagram of calls. */
  isCutOff: boolean;
}

/** The seeded assistant of the demo's pages. */
export const assistantId = demoAssistants[0]?.uuid ?? '';
/** Its greeting. A short one keeps the tests fast. */
export const greeting = 'Hello, this is Kim.';

/**
 * Starts the real service, and records the events of its calls.
 *
 * @param settings environment variables.
 */
export async function startCallService(settings: Record<string, string> = {}): Promise<CallService> {
  const log = pino({ level: 'silent' });
  const calls: WatchedCall[] = [];
  const { media, ...voice } = await createVoice({ media: {} }, log);
  const watched: MediaServer = {
    answer: async (offer) => {
      const answer = await media.answer(offer);
      if ('peer' in answer) calls.push(new WatchedCall(answer.peer));
      return answer;
    },
    problem: () => media.problem(),
    close: () => media.close(),
  };
  const env = { ...(await newDatabase()), ...settings };
  const service = await startService(env, {
    voice: { ...voice, media: watched },
    mount: (app) => {
      mountDemo(app, new AbortController().signal, () => Promise.resolve(undefined));
    },
  });
  await seedDemo(service.running.database, env['DATA_DIR'] ?? '');
  const { db } = service.running.database;
  await db.update(assistants).set({ initialMessage: greeting }).where(eq(assistants.uuid, assistantId));
  const started = Object.assign(service, { calls, isCutOff: false });
  dropDatagrams(() => started.isCutOff);
  return started;
}

/** Makes all UDP sockets that open from now on lose datagrams while the network is cut off. */
function dropDatagrams(isCutOff: () => boolean): void {
  subscribe('udp.socket', (message) => {
    const { socket } = message as { socket: Socket };
    const emit = socket.emit.bind(socket) as (name: string, ...args: unknown[]) => boolean;
    socket.emit = ((name: string, ...args: unknown[]) =>
      name === 'message' && isCutOff() ? false : emit(name, ...args)) as typeof socket.emit;
    const send = socket.send.bind(socket) as (...args: unknown[]) => void;
    socket.send = ((...args: unknown[]) => {
      if (!isCutOff()) send(...args);
    }) as typeof socket.send;
  });
}
