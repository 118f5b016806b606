import type { Logger } from 'pino';
import { AudioLine } from './audio-line.ts';
import type { LineControl } from './audio-line.ts';
import type { AudioPeer } from './audio-peer.ts';
import { EchoGate } from './echo-gate.ts';
import type { SpeechSettings, Spoken } from './line.ts';
import type { Synthesizer, Transcriber } from './speech-service.ts';
import type { SpokenText } from './spoken-text.ts';
import type { TranscriptionUsage } from './transcription-usage.ts';
import { TurnDetector } from './turn-detector.ts';
import { voiceSettings } from './voice-settings.ts';
import type { TurnEvent, Utterance } from './turn-detector.ts';
import type { SpeechListener } from './speech-listener.ts';
import type { SpeechDetector } from './voice-module.ts';

export interface VoiceLineOptions {
  peer: AudioPeer;
  synthesizer: Synthesizer;
  transcriber: Transcriber;
  settings: SpeechSettings;
  control: LineControl;
  log: Logger;
  listener?: SpeechListener | undefined;
  /** Called with the usage of each transcription. */
  onUsage?: ((usage: TranscriptionUsage) => void) | undefined;
  /** Undefined: speech is detected by loudness. */
  createDetector?: ((rate: number, language?: string) => SpeechDetector) | undefined;
}

/** Shorter sounds are noise. */
const shortestSpeech = 0.12;
/** Seconds of speech per required word before the words are counted. */
const secondsPerWord = 0.25;
/** Additional speech before the words are counted again. */
const recountSeconds = 0.5;
/** Minimum additional speech before the provisional transcript is updated. */
const provisionalSeconds = 0.8;
/**
 * Minimum growth of the utterance before the next update. Each update transcribes all of it, so the total stays below
 * three times its length.
 */
const provisionalGrowth = 1.5;
/** Silence after which the assistant resumes, if the sound was too short for an interruption. */
const resumeSeconds = 0.4;
const transcriptionMs = 30_000;

/** A call whose audio the service itself transcribes and synthesizes. */
export class VoiceLine extends AudioLine {
  readonly #synthesizer: Synthesizer;
  readonly #transcriber: Transcriber;
  readonly #settings: SpeechSettings;
  readonly #log: Logger;
  readonly #listener: SpeechListener | undefined;
  readonly #onUsage: ((usage: TranscriptionUsage) => void) | undefined;
  readonly #turns: TurnDetector;
  readonly #echo: EchoGate;
  readonly #closed = new AbortController();
  /** Undefined if the customer may speak several languages. */
  readonly #transcriptionLanguage: string | undefined;
  /** The chain of pending transcriptions, which keeps events in order. */
  #lastTranscription = Promise.resolve();
  #pendingTranscripts = 0;
  #isCounting = false;
  #isCustomerSpeaking = false;
  /** Whether the customer started to speak while the assistant could not be heard. */
  #spokeFirst = false;
  /** Whether it is undecided if the customer's utterance interrupts the assistant. */
  #isDeciding = false;
  #isTranscribingProvisionally = false;
  /** A transcription started during a pause, before the pause was long enough to end the utterance. */
  #early: { text: Promise<string>; voiced: number; stop: AbortController } | undefined;
  /** Seconds of speech in this turn whose early transcription was discarded, because the customer continued. */
  #discardedSeconds = 0;
  /** Seconds of speech after which the provisional transcript is updated. */
  #provisionalAfter = provisionalSeconds;
  /** Seconds of speech after which the words are counted. */
  #countAfter = 0;

  constructor({ synthesizer, transcriber, createDetector, ...options }: VoiceLineOptions) {
    const { peer, settings, control, log, listener } = options;
    super({ peer, control, ambientSound: settings.ambientSound, listener });
    this.#synthesizer = synthesizer;
    this.#transcriber = transcriber;
    this.#settings = settings;
    this.#log = log;
    this.#listener = listener;
    this.#onUsage = options.onUsage;
    const { language, otherLanguages = [] } = settings;
    const isDetected =
      otherLanguages.length > 0 && (transcriber.detects?.([language, ...otherLanguages]) ?? true);
    this.#transcriptionLanguage = isDetected ? undefined : language;
    const turnSettings = { pause: 1.4 - clamp(settings.endpointSensitivity), shortest: shortestSpeech };
    const detector = createDetector?.(peer.rate, this.#transcriptionLanguage);
    this.#turns = new TurnDetector(peer.rate, turnSettings, detector);
    this.#echo = new EchoGate(peer.rate);
    this.peer.open(this);
  }

  async say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken> {
    this.#countAfter = 0;
    return this.output.say(
      async (spoken, stopped) => {
        if (this.hasEnded) this.output.cutOff('end');
        const settings = voiceSettings(this.#settings);
        const synthesize = (sentence: string) =>
          this.#addPlayed(this.#synthesizer.speak(sentence, settings, this.peer.rate, stopped));
        await this.output.speakSentences(text, settings.language, synthesize, spoken, stopped);
      },
      seconds,
      signal,
    );
  }

  async *#addPlayed(sound: AsyncIterable<Int16Array>): AsyncGenerator<Int16Array> {
    for await (const samples of sound) {
      this.#echo.addPlayed(samples);
      yield samples;
    }
  }

  protected override pushLastWords(): Promise<void> | undefined {
    const event = this.#turns.end();
    if (event) {
      this.setCustomerSpeaking(false);
      this.#follow(event, false);
      this.#pushTranscript(event.utterance());
    }
    return this.#pendingTranscripts > 0 ? this.#lastTranscription : undefined;
  }

  protected release(): void {
    this.#closed.abort();
    this.#turns.close();
  }

  onAudio(samples: Int16Array): void {
    if (this.hasEnded) return;
    const { spoken, isAudible } = this.output;
    const { allowInterruptions, minInterruptWords } = this.#settings;
    const wasFirst = this.#spokeFirst;
    const isAdmitted = this.#echo.admits(samples, isAudible && !this.output.isPaused);
    let event = this.#turns.detect(samples, wasFirst || isAdmitted);
    if (isAudible && !allowInterruptions) {
      event = wasFirst ? this.#turns.end() : undefined;
      this.#turns.reset();
      if (!event) this.#dropEarly();
    }
    if (event?.type === 'paused') {
      if (!isAudible || wasFirst || minInterruptWords > 0) this.#transcribeEarly(event.utterance());
      return;
    }
    if (event?.type === 'speaking') this.#dropEarly();
    if (event) this.setCustomerSpeaking(event.type === 'speaking');
    this.#follow(event, isAudible);
    if (spoken === undefined || !isAudible || !allowInterruptions) {
      if (event?.type === 'ended') this.#pushTranscript(event.utterance());
    } else if (event?.type === 'ended') {
      this.#decide(spoken, event.utterance(), wasFirst);
    } else if (this.#spokeFirst) {
      this.#pause();
    } else if (event?.type === 'speaking') {
      this.#interrupt(spoken, event.utterance);
    } else if (!this.#isDeciding && this.#turns.silentSeconds >= resumeSeconds) {
      this.#resume();
    }
  }

  /**
   * Stops the assistant if the customer has spoken for long enough, or said enough words. If no words are required, the
   * assistant pauses until then, so that it does not talk over the customer.
   */
  #interrupt(spoken: SpokenText, utterance: () => Utterance): void {
    const { minInterruptWords, interruptSensitivity } = this.#settings;
    const voiced = this.#turns.voicedSeconds;
    if (minInterruptWords <= 0) {
      if (voiced >= 0.15 + (1 - clamp(interruptSensitivity)) * 0.6) this.output.cutOff('customer');
      else this.#pause();
      return;
    }
    const needed = Math.max(minInterruptWords * secondsPerWord, this.#countAfter);
    if (this.#isCounting || voiced < needed) return;
    this.#isCounting = true;
    this.#countAfter = voiced + recountSeconds;
    void this.#transcribe(utterance()).then((text) => {
      this.#isCounting = false;
      if (this.output.spoken === spoken && countWords(text) >= minInterruptWords)
        this.output.cutOff('customer');
    });
  }

  #pause(): void {
    if (this.output.isPaused) return;
    this.output.pause();
    this.#listener?.onAssistantPausing();
  }

  /**
   * Decides whether an utterance during the assistant's speech interrupts it.
   *
   * @param wasFirst whether the customer started before the assistant could be heard.
   */
  #decide(spoken: SpokenText, utterance: Utterance, wasFirst: boolean): void {
    const { minInterruptWords } = this.#settings;
    if (!wasFirst && minInterruptWords <= 0) {
      // Too little speech to interrupt.
      this.#dropEarly();
      this.#lastTranscription = this.#lastTranscription.then(() => this.#listener?.onCustomerSaid(''));
      this.#resume();
      return;
    }
    this.#isDeciding = true;
    this.#pushTranscript(utterance, (text) => {
      this.#isDeciding = false;
      if (this.output.spoken !== spoken || spoken.isOver) return true;
      const isEnough = wasFirst ? text !== '' : countWords(text) >= minInterruptWords;
      if (isEnough) this.output.cutOff('customer');
      else this.#resume();
      return isEnough;
    });
  }

  #resume(): void {
    if (!this.output.isPaused) return;
    this.output.resume();
    this.#listener?.onAssistantContinuing();
  }

  /** Reports the customer's speech to the listener, with provisional transcripts. */
  #follow(event: TurnEvent | undefined, isAudible: boolean): void {
    const listener = this.#listener;
    if (event?.type === 'speaking' && (this.#settings.allowInterruptions || !isAudible)) {
      if (!this.#isCustomerSpeaking) {
        this.#isCustomerSpeaking = true;
        this.#spokeFirst = !isAudible;
        listener?.onCustomerSpeaking();
      }
      const voiced = this.#turns.voicedSeconds;
      if (!listener || this.#isTranscribingProvisionally || voiced < this.#provisionalAfter) return;
      this.#isTranscribingProvisionally = true;
      this.#provisionalAfter = Math.max(voiced + provisionalSeconds, voiced * provisionalGrowth);
      void this.#transcribe(event.utterance(), { isSoFar: true }).then((text) => {
        this.#isTranscribingProvisionally = false;
        if (text !== '' && this.#isCustomerSpeaking) listener.onProvisional(text);
      });
    } else if (event?.type === 'ended' && this.#isCustomerSpeaking) {
      this.#isCustomerSpeaking = this.#spokeFirst = false;
      this.#provisionalAfter = provisionalSeconds;
      this.#discardedSeconds = 0;
      listener?.onCustomerPaused();
    }
  }

  /** Starts to transcribe the utterance before the pause has ended it. */
  #transcribeEarly(utterance: Utterance): void {
    const voiced = this.#turns.voicedSeconds;
    // A customer who pauses often would be transcribed many times, so at most as much is discarded as is said.
    if (this.#discardedSeconds > voiced || this.#transcriber.isBusy) return;
    const stop = new AbortController();
    this.#early = { text: this.#transcribe(utterance, { stop }), voiced, stop };
  }

  #dropEarly(): void {
    if (!this.#early) return;
    this.#discardedSeconds += this.#early.voiced;
    this.#early.stop.abort();
    this.#early = undefined;
  }

  /** @param counts returns whether a text counts as said. */
  #pushTranscript(utterance: Utterance, counts: (text: string) => boolean = () => true): void {
    const transcribing = this.#early?.text ?? this.#transcribe(utterance);
    this.#early = undefined;
    const { seconds, pause } = utterance;
    const endedAt = this.now - pause;
    this.#pendingTranscripts += 1;
    this.#lastTranscription = this.#lastTranscription.then(async () => {
      const text = await transcribing;
      this.#pendingTranscripts -= 1;
      const said = counts(text) ? text : '';
      this.#listener?.onCustomerSaid(said);
      if (said !== '') this.events.push({ type: 'said', text: said, seconds, endedAt });
    });
  }

  /** Returns an empty text if transcription fails, as if nothing was understood. */
  async #transcribe(
    { samples }: Utterance,
    { isSoFar = false, stop = new AbortController() } = {},
  ): Promise<string> {
    const stopped = AbortSignal.any([this.#closed.signal, stop.signal]);
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(transcriptionMs)]);
    try {
      const transcriber = this.#transcriber;
      const sound = [samples, this.peer.rate, this.#transcriptionLanguage, signal, this.#onUsage] as const;
      const text =
        isSoFar && transcriber.transcribeSoFar
          ? await transcriber.transcribeSoFar(...sound)
          : await transcriber.transcribe(...sound);
      return text?.trim() ?? '';
    } catch (error) {
      if (!stopped.aborted) this.#log.warn({ err: error }, 'speech was not transcribed');
      return '';
    }
  }
}

const clamp = (share: number) => Math.max(0, Math.min(1, share));

const countWords = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;
