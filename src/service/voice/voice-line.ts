import type { Logger } from 'pino';
import type { Line, LineEvent, SpeechSettings, Spoken } from './line.ts';
import { withAmbience } from './ambience/ambient-peer.ts';
import type { AudioListener, AudioPeer } from './audio-peer.ts';
import { LineEvents } from './line-events.ts';
import type { SpeechService } from './speech-service.ts';
import { SpeechOutput } from './speech-output.ts';
import type { SpokenText } from './spoken-text.ts';
import { TurnDetector } from './turn-detector.ts';
import { voiceSettings } from './voice-settings.ts';
import type { TurnEvent, Utterance } from './turn-detector.ts';
import type { SpeechListener } from './speech-listener.ts';
import type { SpeechDetector } from './voice-module.ts';

/** What a line does outside its sound. */
export interface LineControl {
  sendDigits(digits: string): Promise<void>;
  /** The service ends the line: it hangs up, or gives the call away. Called once. */
  end(how: 'hang-up' | 'leave', reason?: string): Promise<void>;
}

export interface VoiceLineParts {
  peer: AudioPeer;
  service: SpeechService;
  settings: SpeechSettings;
  control: LineControl;
  log: Logger;
  listener?: SpeechListener | undefined;
  /** Undefined: speech is detected by loudness. */
  createDetector?: ((rate: number) => SpeechDetector) | undefined;
}

/** Shorter sounds are noises. */
const shortestSpeech = 0.12;
/** Speech that is needed for each word before it is worth counting them. */
const secondsPerWord = 0.25;
/** Additional speech before the words are counted again. */
const recountSeconds = 0.5;
/** Additional speech before the customer's words are shown again. */
const guessSeconds = 0.8;
const transcriptionMs = 30_000;

/** A call whose sound the service itself converts to text and back. */
export class VoiceLine implements Line, AudioListener {
  readonly #peer: AudioPeer;
  readonly #service: SpeechService;
  readonly #settings: SpeechSettings;
  readonly #control: LineControl;
  readonly #log: Logger;
  readonly #listener: SpeechListener | undefined;
  readonly #events = new LineEvents();
  readonly #turns: TurnDetector;
  readonly #output: SpeechOutput;
  readonly #connectedAt = performance.now();
  readonly #closed = new AbortController();
  /** Undefined: the customer speaks one of several. */
  readonly #heardLanguage: string | undefined;
  /** The last transcription, so that events keep their order. */
  #understanding = Promise.resolve();
  #isCounting = false;
  #isCustomerSpeaking = false;
  #isGuessing = false;
  /** Speech after which the customer's words are shown again. */
  #guessAfter = guessSeconds;
  /** Speech after which the words are counted. */
  #countAfter = 0;

  constructor({ peer, service, settings, control, log, listener, createDetector }: VoiceLineParts) {
    this.#peer = withAmbience(peer, settings.ambientSound);
    this.#service = service;
    this.#settings = settings;
    this.#control = control;
    this.#log = log;
    this.#listener = listener;
    this.#heardLanguage = (settings.otherLanguages ?? []).length > 0 ? undefined : settings.language;
    const turnSettings = { pause: 1.4 - clamp(settings.endpointSensitivity), shortest: shortestSpeech };
    this.#turns = new TurnDetector(peer.rate, turnSettings, createDetector?.(peer.rate));
    this.#output = new SpeechOutput({ peer: this.#peer, now: () => this.now, listener });
    this.#peer.open(this);
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
    this.#countAfter = 0;
    return this.#output.say(
      async (spoken, stopped) => {
        if (this.#events.hasEnded) this.#output.cutOff('end');
        const settings = voiceSettings(this.#settings);
        const synthesize = (sentence: string) =>
          this.#service.speak(sentence, settings, this.#peer.rate, stopped);
        await this.#output.speakSentences(text, settings.language, synthesize, spoken, stopped);
      },
      seconds,
      signal,
    );
  }

  sendDigits(digits: string): Promise<void> {
    return this.#control.sendDigits(digits);
  }

  leave(): Promise<void> {
    return this.#end('leave');
  }

  hangUp(reason?: string): Promise<void> {
    return this.#end('hang-up', reason);
  }

  /** The customer wrote something instead of saying it, which also stops the assistant. */
  write(text: string): void {
    this.interrupt();
    this.#events.push({ type: 'said', text, seconds: 0 });
  }

  /** The customer wants the assistant to stop speaking. */
  interrupt(): void {
    this.#output.cutOff('customer');
  }

  /** The customer pressed a key. */
  press(digit: string): void {
    if (/^[0-9*#]$/.test(digit)) this.#events.push({ type: 'dtmf', digit });
  }

  /** The call or its connection has ended. */
  close(by: 'customer' | 'connection'): void {
    this.#close({ type: 'ended', by });
  }

  /** The service ends the call from outside the conversation. */
  stop(reason: string): void {
    this.#close({ type: 'ended', by: 'service', reason });
  }

  #close(ended: LineEvent): void {
    if (this.#events.hasEnded) return;
    this.#events.push(ended);
    this.#output.close();
    this.#closed.abort();
    this.#turns.close();
    this.#peer.close();
  }

  onAudio(samples: Int16Array): void {
    if (this.#events.hasEnded) return;
    const event = this.#turns.detect(samples);
    if (this.#listener) this.#tell(this.#listener, event);
    const { spoken } = this.#output;
    if (spoken?.isAudible === true) {
      if (!this.#settings.allowInterruptions) this.#turns.reset();
      else if (event?.type === 'speaking') this.#interrupt(spoken, event.utterance);
    } else if (event?.type === 'ended') {
      this.#understand(event.utterance());
    }
  }

  onMark(id: string): void {
    this.#output.onMark(id);
  }

  onClosed(): void {
    this.close('connection');
  }

  /** Stops the assistant if the customer has spoken for long enough, or said enough words. */
  #interrupt(spoken: SpokenText, utterance: () => Utterance): void {
    const { minInterruptWords, interruptSensitivity } = this.#settings;
    const voiced = this.#turns.voicedSeconds;
    if (minInterruptWords <= 0) {
      if (voiced >= 0.15 + (1 - clamp(interruptSensitivity)) * 0.6) this.#output.cutOff('customer');
      return;
    }
    const needed = Math.max(minInterruptWords * secondsPerWord, this.#countAfter);
    if (this.#isCounting || voiced < needed) return;
    this.#isCounting = true;
    this.#countAfter = voiced + recountSeconds;
    void this.#transcribe(utterance()).then((text) => {
      this.#isCounting = false;
      if (this.#output.spoken === spoken && countWords(text) >= minInterruptWords)
        this.#output.cutOff('customer');
    });
  }

  /** Shows what the customer is saying, as far as it is understood. */
  #tell(listener: SpeechListener, event: TurnEvent | undefined): void {
    const isHeard = this.#settings.allowInterruptions || !this.#output.isAudible;
    if (event?.type === 'speaking' && isHeard) {
      if (!this.#isCustomerSpeaking) listener.onCustomerSpeaking();
      this.#isCustomerSpeaking = true;
      const voiced = this.#turns.voicedSeconds;
      if (this.#isGuessing || voiced < this.#guessAfter) return;
      this.#isGuessing = true;
      this.#guessAfter = voiced + guessSeconds;
      void this.#transcribe(event.utterance(), 'so-far').then((text) => {
        this.#isGuessing = false;
        if (text !== '' && this.#isCustomerSpeaking) listener.onProvisional(text);
      });
    } else if (event?.type === 'ended' && this.#isCustomerSpeaking) {
      this.#isCustomerSpeaking = false;
      this.#guessAfter = guessSeconds;
      listener.onCustomerPaused();
    }
  }

  #understand(utterance: Utterance): void {
    const text = this.#transcribe(utterance);
    this.#understanding = this.#understanding.then(async () => {
      const said = await text;
      this.#listener?.onCustomerSaid(said);
      if (said !== '') this.#events.push({ type: 'said', text: said, seconds: utterance.seconds });
    });
  }

  /** Returns an empty text if transcription fails, as if nothing was understood. */
  async #transcribe({ samples }: Utterance, extent: 'all' | 'so-far' = 'all'): Promise<string> {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(transcriptionMs)]);
    try {
      const service = this.#service;
      const sound = [samples, this.#peer.rate, this.#heardLanguage, signal] as const;
      const text =
        extent === 'so-far' && service.transcribeSoFar
          ? await service.transcribeSoFar(...sound)
          : await service.transcribe(...sound);
      return text?.trim() ?? '';
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#log.warn({ err: error }, 'speech was not transcribed');
      return '';
    }
  }

  async #end(how: 'hang-up' | 'leave', reason?: string): Promise<void> {
    if (this.#events.hasEnded) return;
    this.close('connection');
    await this.#control.end(how, reason);
  }
}

const clamp = (share: number) => Math.max(0, Math.min(1, share));

const countWords = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;
