import type { Logger } from 'pino';
import type { Line, LineEvent, SpeechSettings, Spoken } from '../carrier.ts';
import type { AudioListener, AudioPeer } from '../../voice/audio-peer.ts';
import { LineEvents } from './line-events.ts';
import { sentences } from '../../voice/sentences.ts';
import type { SpeechService } from '../../voice/speech-service.ts';
import { SpokenText } from './spoken-text.ts';
import type { CutOff } from './spoken-text.ts';
import { TurnDetector } from '../../voice/turn-detector.ts';
import type { Utterance } from '../../voice/turn-detector.ts';

/** What a line does outside its sound. */
export interface LineControl {
  sendDigits(digits: string): Promise<void>;
  /** The service ends the line: it hangs up, or gives the call away. Called once. */
  end(how: 'hang-up' | 'leave'): Promise<void>;
}

export interface VoiceLineParts {
  peer: AudioPeer;
  service: SpeechService;
  settings: SpeechSettings;
  control: LineControl;
  log: Logger;
}

/** Shorter sounds are noises. */
const shortestSpeech = 0.12;
/** Speech that is needed for each word before it is worth counting them. */
const secondsPerWord = 0.25;
/** Additional speech before the words are counted again. */
const recountSeconds = 0.5;
const transcriptionMs = 30_000;
const longestTimer = 2_147_483_647;

/** A call whose sound the service itself converts to text and back. */
export class VoiceLine implements Line, AudioListener {
  readonly #peer: AudioPeer;
  readonly #service: SpeechService;
  readonly #settings: SpeechSettings;
  readonly #control: LineControl;
  readonly #log: Logger;
  readonly #events = new LineEvents();
  readonly #turns: TurnDetector;
  readonly #connectedAt = performance.now();
  readonly #closed = new AbortController();
  readonly #marks = new Map<string, () => void>();
  #markCount = 0;
  #language: string;
  #spoken: SpokenText | undefined;
  /** The last transcription, so that events keep their order. */
  #understanding = Promise.resolve();
  #isCounting = false;
  /** Speech after which the words are counted. */
  #countAfter = 0;

  constructor({ peer, service, settings, control, log }: VoiceLineParts) {
    this.#peer = peer;
    this.#service = service;
    this.#settings = settings;
    this.#control = control;
    this.#log = log;
    this.#language = settings.language;
    this.#turns = new TurnDetector(peer.rate, {
      pause: 1.4 - clamp(settings.endpointSensitivity),
      shortest: shortestSpeech,
    });
    peer.open(this);
  }

  get now(): number {
    return (performance.now() - this.#connectedAt) / 1000;
  }

  /** Whether it has ended in another way than by the service. */
  get isLost(): boolean {
    return this.#events.hasEnded;
  }

  next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined> {
    return this.#events.next(seconds, signal);
  }

  async say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken> {
    signal.throwIfAborted();
    const spoken = new SpokenText(() => this.now);
    const stop = new AbortController();
    void spoken.over.then(() => {
      stop.abort();
    });
    this.#spoken = spoken;
    this.#countAfter = 0;
    if (this.#events.hasEnded) spoken.cutOff('end');
    const timer = setTimeout(
      () => {
        this.#cutOff('time');
      },
      Math.min(Math.max(0, seconds) * 1000, longestTimer),
    );
    const abort = () => {
      this.#cutOff('signal');
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      await this.#speak(text, spoken, stop.signal);
      const cutOffBy = await spoken.over;
      return spoken.result(cutOffBy);
    } catch (error) {
      this.#cutOff('end');
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#spoken = undefined;
    }
  }

  sendDigits(digits: string): Promise<void> {
    return this.#control.sendDigits(digits);
  }

  setLanguage(language: string): Promise<void> {
    this.#language = language;
    return Promise.resolve();
  }

  leave(): Promise<void> {
    return this.#end('leave');
  }

  hangUp(): Promise<void> {
    return this.#end('hang-up');
  }

  /** The customer pressed a key. */
  press(digit: string): void {
    if (/^[0-9*#]$/.test(digit)) this.#events.push({ type: 'dtmf', digit });
  }

  /** The call or its connection has ended. */
  close(by: 'customer' | 'connection'): void {
    if (this.#events.hasEnded) return;
    this.#events.push({ type: 'ended', by });
    this.#spoken?.cutOff('end');
    this.#closed.abort();
    this.#marks.clear();
    this.#peer.close();
  }

  onAudio(samples: Int16Array): void {
    if (this.#events.hasEnded) return;
    const event = this.#turns.detect(samples);
    if (this.#spoken?.isAudible) {
      if (!this.#settings.allowInterruptions) this.#turns.reset();
      else if (event?.type === 'speaking') this.#interrupt(this.#spoken, event.utterance);
    } else if (event?.type === 'ended') {
      this.#understand(event.utterance());
    }
  }

  onMark(id: string): void {
    const callback = this.#marks.get(id);
    this.#marks.delete(id);
    callback?.();
  }

  onClosed(): void {
    this.close('connection');
  }

  /** Passes the sound of each sentence to the peer, at most one sentence ahead of what is heard. */
  async #speak(text: AsyncIterable<string>, spoken: SpokenText, signal: AbortSignal): Promise<void> {
    const parts = sentences(text, this.#language);
    for (;;) {
      const result = await Promise.race([parts.next(), spoken.over]);
      if (spoken.isOver || typeof result !== 'object') {
        // A generator that waits for the model returns only after that, so this does not wait for it.
        parts.return(undefined).catch(() => undefined);
        return;
      }
      if (result.done === true) break;
      const sentence = spoken.add(result.value);
      const started = Promise.withResolvers<undefined>();
      this.#mark(() => {
        sentence.startedAt = this.now;
        started.resolve(undefined);
      });
      try {
        if (/[\p{L}\p{N}]/u.test(result.value)) {
          for await (const samples of this.#synthesize(result.value.trim(), signal)) {
            if (signal.aborted) break;
            sentence.seconds += samples.length / this.#peer.rate;
            this.#peer.play(samples);
          }
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      await Promise.race([started.promise, spoken.over]);
    }
    this.#mark(() => {
      spoken.end();
    });
  }

  #synthesize(text: string, signal: AbortSignal): AsyncIterable<Int16Array> {
    const { voice, speed } = this.#settings;
    // The server does not know the voices of other providers.
    const name = voice?.provider === 'openai' ? voice.name : undefined;
    const settings = { language: this.#language, voice: name, speed };
    return this.#service.speak(text, settings, this.#peer.rate, signal);
  }

  #mark(callback: () => void): void {
    const id = String(this.#markCount++);
    this.#marks.set(id, callback);
    this.#peer.mark(id);
  }

  #cutOff(reason: CutOff): void {
    if (!this.#spoken || this.#spoken.isOver) return;
    this.#spoken.cutOff(reason);
    this.#marks.clear();
    this.#peer.flush();
  }

  /** Stops the assistant if the customer has spoken for long enough, or said enough words. */
  #interrupt(spoken: SpokenText, utterance: () => Utterance): void {
    const { minInterruptWords, interruptSensitivity } = this.#settings;
    const voiced = this.#turns.voicedSeconds;
    if (minInterruptWords <= 0) {
      if (voiced >= 0.15 + (1 - clamp(interruptSensitivity)) * 0.6) this.#cutOff('customer');
      return;
    }
    const needed = Math.max(minInterruptWords * secondsPerWord, this.#countAfter);
    if (this.#isCounting || voiced < needed) return;
    this.#isCounting = true;
    this.#countAfter = voiced + recountSeconds;
    void this.#transcribe(utterance()).then((text) => {
      this.#isCounting = false;
      if (this.#spoken === spoken && countWords(text) >= minInterruptWords) this.#cutOff('customer');
    });
  }

  #understand(utterance: Utterance): void {
    const text = this.#transcribe(utterance);
    this.#understanding = this.#understanding.then(async () => {
      const said = await text;
      if (said !== '') this.#events.push({ type: 'said', text: said, seconds: utterance.seconds });
    });
  }

  /** Returns an empty text if transcription fails, as if nothing was understood. */
  async #transcribe({ samples }: Utterance): Promise<string> {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(transcriptionMs)]);
    try {
      const text = await this.#service.transcribe(samples, this.#peer.rate, this.#language, signal);
      return text.trim();
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#log.warn({ err: error }, 'speech was not transcribed');
      return '';
    }
  }

  async #end(how: 'hang-up' | 'leave'): Promise<void> {
    if (this.#events.hasEnded) return;
    this.close('connection');
    await this.#control.end(how);
  }
}

const clamp = (share: number) => Math.max(0, Math.min(1, share));

const countWords = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;
