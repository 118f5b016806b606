import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { createG711Codec } from '../../../src/service/voice/g711-codec.ts';
import { eventually } from '../eventually.ts';
import { framesOf, join, loudness } from '../voice/tone.ts';

/** The published frames to the carrier; it closes the connection after others. */
const ServiceFrame = z.discriminatedUnion('event', [
  z.strictObject({
    event: z.literal('media'),
    streamSid: z.string(),
    media: z.strictObject({ payload: z.base64() }),
  }),
  z.strictObject({ event: z.literal('clear'), streamSid: z.string() }),
  z.strictObject({
    event: z.literal('mark'),
    streamSid: z.string(),
    mark: z.strictObject({ name: z.string() }),
  }),
]);

/** Samples per second. */
export const streamRate = 8000;
const codec = createG711Codec('PCMU');

/** One bidirectional Media Stream: the customer's side of the audio of a call. */
export class FakeStream {
  readonly socket: WebSocket;
  readonly ended: Promise<unknown>;
  /** Invalid frames. */
  readonly problems: string[] = [];
  /** Number of times that the service discarded the audio that the carrier had received. */
  clears = 0;
  readonly #streamSid: string;
  readonly #heard: Int16Array[] = [];
  #sequence = 0;

  constructor(socket: WebSocket, streamSid: string) {
    this.socket = socket;
    this.#streamSid = streamSid;
    this.ended = once(socket, 'close');
    socket.on('message', (data) => {
      this.#receive((data as Buffer).toString('utf8'));
    });
  }

  start(call: { accountSid: string; callSid: string; customParameters: Record<string, string> }): void {
    this.socket.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }));
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: streamRate, channels: 1 };
    this.#send('start', {
      start: { ...call, streamSid: this.#streamSid, tracks: ['inbound'], mediaFormat },
    });
  }

  /** The customer makes a sound. Both it and the following silence arrive at once. */
  say(samples: Int16Array, silentSeconds = 1): void {
    const line = join([samples, new Int16Array(silentSeconds * streamRate)]);
    for (const frame of framesOf(line, streamRate / 50)) {
      const payload = codec.encode(frame).toString('base64');
      this.#send('media', { media: { track: 'inbound', chunk: '1', timestamp: '5', payload } });
    }
  }

  press(digit: string): void {
    this.#send('dtmf', { dtmf: { track: 'inbound_track', digit } });
  }

  /** The customer hangs up. */
  hangUp(): void {
    this.#send('stop', { stop: {} });
    this.socket.close(1000);
  }

  /** The connection is lost. */
  drop(): void {
    this.socket.terminate();
  }

  /** All audio that the customer has heard. */
  get heard(): Int16Array {
    return join(this.#heard);
  }

  /** Waits until the customer has heard this many seconds of sound. */
  async hears(seconds: number): Promise<void> {
    const count = () =>
      framesOf(this.heard, streamRate / 50).filter((frame) => loudness(frame) > 0.02).length;
    await eventually(
      () => `${seconds} s of sound; heard so far: ${count() / 50} s`,
      () => (count() / 50 >= seconds ? true : undefined),
    );
  }

  #send(event: string, fields: object): void {
    this.#sequence += 1;
    const frame = { event, sequenceNumber: String(this.#sequence), streamSid: this.#streamSid, ...fields };
    this.socket.send(JSON.stringify(frame));
  }

  #receive(data: string): void {
    const { data: frame } = ServiceFrame.safeParse(JSON.parse(data));
    if (frame?.streamSid !== this.#streamSid) this.problems.push(data);
    else if (frame.event === 'media')
      this.#heard.push(codec.decode(Buffer.from(frame.media.payload, 'base64')));
    else if (frame.event === 'clear') this.clears += 1;
  }
}
