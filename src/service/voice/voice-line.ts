import type { Logger } from 'pino';
import { AudioLine } from './audio-line.ts';
import type { LineControl } from './audio-line.ts';
import type { AudioPeer } from './audio-peer.ts';
import { countWords } from './words.ts';
import { EchoGate } from './echo-gate.ts';
import { LineTranscriber } from './line-transcriber.ts';
import type { SpeechSettings, Spoken } from './line.ts';
import type { Synthesizer } from './synthesizer.ts';
import type { Transcriber } from './transcriber.ts';
import type { HeardText } from './heard-text.ts';
import type { TranscriptionUsage } from './transcription-usage.ts';
import { TurnDetector, turnPause } from './turn-detector.ts';
import type { TurnEvent, Utterance } from './turn-detector.ts';
import { UtteranceTranscription } from './utterance-transcription.ts';
import { synthesisSettings } from './synthesis-settings.ts';
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
  createDetector?: ((rate: number) => SpeechDetector) | undefined;
}

/** An utterance of the customer, until its transcript is known. */
interface CustomerTurn {
  /** Whether the assistant could not be interrupted when it started. */
  startedInSilence: boolean;
  /** Whether it interrupts the assistant if it contains words; shorter sounds are noise. */
  isLong: boolean;
  transcription: UtteranceTranscription;
}

/**
 * The property of an utterance that decides whether it interrupts the assistant. `any-word`: the customer started to speak
 * first, or has spoken for long enough, so the assistant waits for the transcript.
 */
type Criterion = 'duration' | 'word-count' | 'any-word';

/** Shorter sounds are noise. */
const shortestSpeech = 0.12;
/** Silence after which the assistant resumes, if the sound was too short for an interruption. */
const resumeSeconds = 0.4;

/** A call whose audio the service itself transcribes and synthesizes. */
export class VoiceLine extends AudioLine {
  readonly #synthesizer: Synthesizer;
  readonly #transcriber: LineTranscriber;
  readonly #settings: SpeechSettings;
  /** Seconds of speech that interrupt the assistant if any word does. */
  readonly #interruptSeconds: number;
  readonly #detector: TurnDetector;
  readonly #echo: EchoGate;
  /** The customer's turn in progress. */
  #turn: CustomerTurn | undefined;
  /** The latest turn that has ended and interrupts the assistant if its pending transcript has enough words. */
  #undecidedTurn: CustomerTurn | undefined;
  /** The chain of pending transcripts, which keeps events in order. */
  #lastTranscript = Promise.resolve();
  #pendingTranscripts = 0;

  constructor({ synthesizer, transcriber, createDetector, onUsage, ...options }: VoiceLineOptions) {
    const { peer, settings, control, log, listener } = options;
    const { rate } = peer;
    super({ peer, control, ambientSound: settings.ambientSound, listener });
    this.#synthesizer = synthesizer;
    this.#transcriber = new LineTranscriber({ transcriber, rate, settings, log, onUsage });
    this.#settings = settings;
    this.#interruptSeconds = 0.15 + (1 - clamp(settings.interruptSensitivity)) * 0.6;
    const turnSettings = { pause: turnPause(settings.endpointSensitivity), shortest: shortestSpeech };
    this.#detector = new TurnDetector(rate, turnSettings, createDetector?.(rate));
    this.#echo = new EchoGate(rate);
    this.peer.open(this);
  }

  async say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken> {
    return this.output.say(
      async (spoken, stopped) => {
        if (this.hasEnded) this.output.cutOff('end');
        const settings = synthesisSettings(this.#settings);
        const synthesize = (sentence: string) =>
          this.#addPlayed(this.#synthesizer.speak(sentence, settings, this.peer.rate, stopped));
        await this.output.speakSentences(text, settings, synthesize, spoken, stopped);
      },
      seconds,
      signal,
    );
  }

  async *#addPlayed(audio: AsyncIterable<Int16Array>): AsyncGenerator<Int16Array> {
    for await (const samples of audio) {
      this.#echo.addPlayed(samples);
      yield samples;
    }
  }

  protected override pushLastWords(): Promise<void> | undefined {
    const event = this.#detector.end();
    if (event) this.#onEnded(event.utterance());
    return this.#pendingTranscripts > 0 ? this.#lastTranscript : undefined;
  }

  protected release(): void {
    this.#transcriber.close();
    this.#detector.close();
  }

  onAudio(samples: Int16Array): void {
    if (this.hasEnded) return;
    const event = this.#detect(samples);
    if (event?.type === 'speaking') this.#onSpeaking(event.utterance);
    else if (event?.type === 'paused') this.#onPaused(event.utterance());
    else if (event?.type === 'ended') this.#onEnded(event.utterance());
    else this.#onSilence();
  }

  #detect(samples: Int16Array): TurnEvent | undefined {
    const { isAudible, isPaused } = this.output;
    const isAdmitted = this.#echo.admits(samples, isAudible && !isPaused);
    const event = this.#detector.detect(samples, this.#turn?.startedInSilence === true || isAdmitted);
    if (!isAudible || this.#settings.allowInterruptions) return event;
    // Without interruptions, the customer's turn ends when the assistant can be heard.
    const ended = event?.type === 'ended' ? event : this.#detector.end();
    return this.#turn && ended;
  }

  /** The assistant's text that can be heard and interrupted now, if any. */
  get #interruptible(): HeardText | undefined {
    return this.#settings.allowInterruptions && this.output.isAudible ? this.output.spoken : undefined;
  }

  #startTurn(): CustomerTurn {
    const transcription = new UtteranceTranscription(this.#transcriber);
    return { startedInSilence: !this.#interruptible, isLong: false, transcription };
  }

  /** Returns undefined if there is nothing to interrupt. */
  #criterion({ startedInSilence, isLong }: CustomerTurn): Criterion | undefined {
    if (!this.#interruptible) return undefined;
    if (startedInSilence) return 'any-word';
    if (this.#settings.minInterruptWords > 0) return 'word-count';
    return isLong ? 'any-word' : 'duration';
  }

  #onSpeaking(utterance: () => Utterance): void {
    this.setCustomerSpeaking(true);
    const turn = (this.#turn ??= this.#startTurn());
    turn.transcription.discardEarly();
    turn.isLong = this.#detector.voicedSeconds >= this.#interruptSeconds;
    const criterion = this.#criterion(turn);
    this.#transcribeSoFar(turn, utterance, criterion === 'word-count');
    // Until it is decided, the assistant does not talk over the customer.
    if (criterion === 'duration' || criterion === 'any-word') this.output.pause();
  }

  #onPaused(utterance: Utterance): void {
    if (this.#turn && this.#criterion(this.#turn) !== 'duration')
      this.#turn.transcription.transcribeEarly(utterance);
  }

  #onEnded(utterance: Utterance): void {
    const turn = this.#turn ?? this.#startTurn();
    const criterion = this.#criterion(turn);
    this.#turn = undefined;
    this.setCustomerSpeaking(false);
    if (criterion === 'duration') {
      turn.transcription.discardEarly();
      this.#pushTranscript(Promise.resolve(''), utterance);
      this.#resume();
      return;
    }
    const spoken = this.#interruptible;
    if (spoken) this.#undecidedTurn = turn;
    const words = criterion === 'word-count' ? this.#settings.minInterruptWords : 1;
    this.#pushTranscript(turn.transcription.transcribe(utterance), utterance, (text) => {
      if (this.#undecidedTurn === turn) this.#undecidedTurn = undefined;
      if (!spoken || spoken.isOver) return true;
      const isInterrupted = countWords(text) >= words;
      if (isInterrupted) this.output.cutOff('customer');
      else this.#resume();
      return isInterrupted;
    });
  }

  /** Called if the samples contain no speech, or too little to be a turn. */
  #onSilence(): void {
    if (this.#turn && this.#criterion(this.#turn) === 'any-word') this.output.pause();
    else if (!this.#undecidedTurn && this.#detector.silentSeconds >= resumeSeconds) this.output.resume();
  }

  /** Resumes unless another turn may interrupt the assistant. */
  #resume(): void {
    if (!this.#turn && !this.#undecidedTurn) this.output.resume();
  }

  /** Displays the text of the unfinished utterance, and counts its words. */
  #transcribeSoFar(turn: CustomerTurn, utterance: () => Utterance, isCounted: boolean): void {
    if (!isCounted && !this.listener) return;
    const spoken = this.#interruptible;
    const words = isCounted ? this.#settings.minInterruptWords : 0;
    const transcribing = turn.transcription.transcribeSoFar(utterance, this.#detector.voicedSeconds, words);
    void transcribing?.then((text) => {
      const isInProgress = turn === this.#turn;
      if (isInProgress && text !== '') this.listener?.onProvisional(text);
      if (!isCounted || spoken?.isOver !== false || countWords(text) < words) return;
      // The transcript of the whole utterance takes precedence.
      if (isInProgress || turn === this.#undecidedTurn) this.output.cutOff('customer');
    });
  }

  /** @param isSaid returns whether the transcript counts as an utterance; otherwise, it is dropped. */
  #pushTranscript(
    transcribing: Promise<string>,
    { seconds, pause }: Utterance,
    isSaid: (text: string) => boolean = () => true,
  ): void {
    const endedAt = this.now - pause;
    this.#pendingTranscripts += 1;
    this.#lastTranscript = this.#lastTranscript.then(async () => {
      const text = await transcribing;
      this.#pendingTranscripts -= 1;
      const said = isSaid(text) ? text : '';
      this.listener?.onCustomerSaid(said);
      if (said !== '') this.events.push({ type: 'said', text: said, seconds, endedAt });
    });
  }
}

const clamp = (share: number) => Math.max(0, Math.min(1, share));
