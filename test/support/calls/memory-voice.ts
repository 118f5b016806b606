import type { Synthesizer, SynthesisSettings } from '../../../src/service/voice/synthesizer.ts';
import type { Transcriber } from '../../../src/service/voice/transcriber.ts';
import type {
  MediaServer,
  RefusedOffer,
  VoiceModule,
  WebAnswer,
  WebPeer,
} from '../../../src/service/voice/voice-module.ts';
import { until } from '../until.ts';
import { MemoryPeer } from './memory-peer.ts';

/** A browser in memory. It speaks in tones, and the scripted speech returns a text for each. */
export class MemoryBrowser extends MemoryPeer implements WebPeer {
  readonly connected: Promise<boolean>;
  readonly events: Record<string, unknown>[] = [];
  isClosed = false;
  onEvent?: ((event: Readonly<Record<string, unknown>>) => void) | undefined;
  readonly #speech: ScriptedSpeech;
  readonly #closed = Promise.withResolvers<false>();

  constructor(speech: ScriptedSpeech, connected: Promise<boolean>, rate: number) {
    super(rate);
    this.#speech = speech;
    this.connected = Promise.race([connected, this.#closed.promise]);
  }

  send(event: Readonly<Record<string, unknown>>): void {
    this.events.push({ ...event });
  }

  override close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#closed.resolve(false);
    super.close();
  }

  /** The visitor says something, then pauses. */
  say(text: string): void {
    this.#speech.next.push(text);
    this.receive(tone(0.6, this.rate));
    this.receive(new Int16Array(this.rate * 2));
  }

  /** The visitor interrupts the assistant. */
  interruptWith(text: string): void {
    this.#speech.next.push(text);
    this.receive(tone(1, this.rate));
    this.receive(new Int16Array(this.rate * 2));
  }

  write(text: string): void {
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
    this.onEvent?.({ type: 'conversation.item.create', item });
    this.onEvent?.({ type: 'response.create' });
  }

  /** The connection is lost. */
  lose(): void {
    super.close();
  }

  find(type: string): Record<string, unknown>[] {
    return this.events.filter((event) => event['type'] === type);
  }

  /** Waits until this many events of a type were sent. */
  async waitFor(type: string, count = 1): Promise<Record<string, unknown>[]> {
    await until(() => this.find(type).length >= count);
    return this.find(type);
  }
}

/** Transcribes each utterance as the next of its texts, and synthesizes a short sound for each sentence. */
export class ScriptedSpeech implements Synthesizer, Transcriber {
  readonly next: string[] = [];
  readonly spoken: string[] = [];
  /** The voice of each sentence. */
  readonly voices: (string | undefined)[] = [];
  /** Seconds of sound for each sentence. */
  seconds = 0.02;
  /** A sentence with which the synthesis fails. */
  unspeakable: string | undefined;
  /** The languages for which it was prepared. */
  readonly prepared: (string | undefined)[] = [];

  warmUp(language: string | undefined | SynthesisSettings): void {
    this.prepared.push(typeof language === 'object' ? language.language : language);
  }

  problem(language: string): string | undefined {
    return language === 'de' ? 'German is not understood.' : undefined;
  }

  transcribe(samples: Int16Array, rate: number): Promise<string> {
    // Only a whole utterance ends with a pause.
    const isWhole = samples.subarray(-rate / 10).every((sample) => Math.abs(sample) < 300);
    return Promise.resolve(isWhole ? (this.next.shift() ?? '') : '');
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- a stream, as of a server
  async *speak(text: string, { voice }: SynthesisSettings, rate: number): AsyncGenerator<Int16Array> {
    this.spoken.push(text);
    this.voices.push(voice);
    if (text === this.unspeakable) throw new Error('The voice failed.');
    yield tone(this.seconds, rate);
  }
}

const tone = (seconds: number, at: number) =>
  Int16Array.from({ length: seconds * at }, (_, index) => Math.round(8000 * Math.sin(index / 3)));

/** The voice package in memory, for web calls. */
export class MemoryVoice implements VoiceModule, MediaServer {
  readonly speech = new ScriptedSpeech();
  readonly problems: string[] = [];
  readonly browsers: MemoryBrowser[] = [];
  /** Whether the next browsers connect. While it is pending, so are they. */
  connected: Promise<boolean> = Promise.resolve(true);
  /** Sample rate of the next browsers. */
  rate = 8000;
  hasFreePort = true;

  get synthesizer(): Synthesizer {
    return this.speech;
  }

  get transcriber(): Transcriber {
    return this.speech;
  }

  get media(): MediaServer {
    return this;
  }

  /** The browser of the latest offer. */
  get browser(): MemoryBrowser {
    const browser = this.browsers.at(-1);
    if (!browser) throw new Error('No browser has sent an offer.');
    return browser;
  }

  answer(offer: string): Promise<WebAnswer | RefusedOffer> {
    if (!this.hasFreePort) return Promise.resolve({ refused: 'no-port', reason: 'All lines are busy.' });
    if (!offer.startsWith('v=0'))
      return Promise.resolve({ refused: 'invalid-offer', reason: 'It is no SDP.' });
    const peer = new MemoryBrowser(this.speech, this.connected, this.rate);
    this.browsers.push(peer);
    return Promise.resolve({ sdp: 'v=0 answer', peer });
  }

  problem(): Promise<string | undefined> {
    return Promise.resolve(this.hasFreePort ? undefined : 'No port can be used.');
  }

  /** Forgets earlier browsers. */
  reset(): void {
    this.browsers.length = this.speech.next.length = 0;
    this.speech.spoken.length = this.speech.voices.length = 0;
    this.connected = Promise.resolve(true);
    this.speech.seconds = 0.02;
    this.speech.unspeakable = undefined;
    this.rate = 8000;
    this.hasFreePort = true;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
