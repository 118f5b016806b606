import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { eventually } from '../eventually.ts';

const flag = z.boolean().optional();
/** The published frames to the carrier; it answers others with error 64107. */
const ServiceFrame = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('text'),
    token: z.string(),
    last: z.boolean(),
    lang: z.string().optional(),
    interruptible: flag,
    preemptible: flag,
  }),
  z.strictObject({
    type: z.literal('play'),
    source: z.url({ protocol: /^https$/ }),
    loop: z.number().int().optional(),
    interruptible: flag,
    preemptible: flag,
  }),
  z.strictObject({ type: z.literal('sendDigits'), digits: z.string().regex(/^[0-9w#*]+$/) }),
  z.strictObject({
    type: z.literal('language'),
    ttsLanguage: z.string().optional(),
    transcriptionLanguage: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('end'), handoffData: z.string().optional() }),
]);
export type ServiceFrame = z.infer<typeof ServiceFrame>;

/** How the relay speaks. */
export interface Speaking {
  /** Immediately, or when the test calls `play`. */
  mode: 'at-once' | 'by-hand';
  /** Whether the relay reports its speech. */
  reports: boolean;
}

/** The end of a session, as the action webhook reports it. */
export interface SessionEnd {
  status: 'ended' | 'failed' | 'completed';
  handoffData: string;
}

/** One session of ConversationRelay: the customer speaks and listens through it. */
export class FakeRelay {
  /** All frames of the service. */
  readonly frames: ServiceFrame[] = [];
  /** The speech that the customer has heard, one text for each turn of the assistant. */
  readonly played: string[] = [];
  /** Invalid frames. */
  readonly problems: string[] = [];
  readonly sessionId: string;
  readonly startedAt = performance.now();
  readonly ended: Promise<SessionEnd>;
  readonly socket: WebSocket;
  closeCode: number | undefined;
  speaking: Speaking = { mode: 'at-once', reports: true };
  #end: SessionEnd | undefined;
  #current = '';
  #isPlaying = false;

  constructor(socket: WebSocket, sessionId: string) {
    this.socket = socket;
    this.sessionId = sessionId;
    socket.on('message', (data) => {
      this.#receive((data as Buffer).toString('utf8'));
    });
    this.ended = once(socket, 'close').then((values) => {
      this.closeCode = values[0] as number;
      return this.#end ?? { status: 'failed', handoffData: '' };
    });
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** The customer says something. */
  say(voicePrompt: string, { last = true }: { last?: boolean } = {}): void {
    this.send({ type: 'prompt', voicePrompt, lang: 'en-US', last });
  }

  press(digit: string): void {
    this.send({ type: 'dtmf', digit });
  }

  /** The customer interrupts the speech after these words. */
  interrupt(utteranceUntilInterrupt: string): void {
    this.played.push(utteranceUntilInterrupt);
    this.#current = '';
    this.#isPlaying = false;
    this.send({ type: 'interrupt', utteranceUntilInterrupt, durationUntilInterruptMs: '460' });
  }

  /** Plays a part of the text, in the mode `by-hand`. */
  play(text: string): void {
    this.#start();
    this.send({ type: 'info', name: 'tokensPlayed', value: text });
  }

  /** The customer hangs up. */
  hangUp(): void {
    this.#end = { status: 'completed', handoffData: '' };
    this.socket.close(1000);
  }

  /** The connection is lost. */
  drop(): void {
    this.socket.terminate();
  }

  /** Waits until the customer has heard a text that matches. */
  hears(text: string | RegExp, milliseconds?: number): Promise<string> {
    return eventually(
      () => `the customer to hear ${String(text)}; heard so far: ${JSON.stringify(this.played)}`,
      () => this.played.find((played) => (typeof text === 'string' ? played === text : text.test(played))),
      milliseconds,
    );
  }

  /** Waits for a frame of the service. */
  receives(description: string, isWanted: (frame: ServiceFrame) => boolean): Promise<ServiceFrame> {
    return eventually(
      () => `${description}; frames: ${JSON.stringify(this.frames)}`,
      () => this.frames.find(isWanted),
    );
  }

  #receive(data: string): void {
    const parsed = ServiceFrame.safeParse(JSON.parse(data));
    if (!parsed.success) {
      this.problems.push(data);
      this.send({ type: 'error', description: 'Invalid message received: 64107' });
      return;
    }
    const frame = parsed.data;
    this.frames.push(frame);
    if (frame.type === 'end') {
      this.#end = { status: 'ended', handoffData: frame.handoffData ?? '' };
      this.socket.close(1000);
    } else if (frame.type === 'play') {
      // Preempts the speech.
      this.#current = '';
      this.#stop();
    } else if (frame.type === 'text' && this.speaking.mode === 'at-once') this.#speak(frame);
  }

  #speak({ token, last }: { token: string; last: boolean }): void {
    this.#current += token;
    if (this.#current === '') return;
    this.#start();
    if (this.speaking.reports && token !== '')
      this.send({ type: 'info', name: 'tokensPlayed', value: token });
    if (!last) return;
    this.played.push(this.#current);
    this.#current = '';
    this.#stop();
  }

  #start(): void {
    if (!this.#isPlaying) this.#report('on');
    this.#isPlaying = true;
  }

  #stop(): void {
    if (this.#isPlaying) this.#report('off');
    this.#isPlaying = false;
  }

  #report(value: 'on' | 'off'): void {
    if (this.speaking.reports) this.send({ type: 'info', name: 'agentSpeaking', value, ts: Date.now() });
  }
}
