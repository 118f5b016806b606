import type { Spoken } from './line.ts';
import type { AudioPeer } from './audio-peer.ts';
import { isSpeakable } from './words.ts';
import { PlainSpeech } from './plain-speech.ts';
import { sentences } from './split-sentences.ts';
import type { SpeechListener } from './speech-listener.ts';
import { HeardText } from './heard-text.ts';
import type { CutOff } from './heard-text.ts';
import type { SynthesisSettings } from './synthesizer.ts';

export interface SpeechOutputOptions {
  peer: AudioPeer;
  /** Seconds of the line's clock. */
  now: () => number;
  listener?: SpeechListener | undefined;
}

/** A timer cannot wait longer than 2^31 - 1 milliseconds. */
const longestTimer = 2_147_483_647;

/** Plays the assistant's speech on a line, one text at a time. */
export class SpeechOutput {
  readonly #options: SpeechOutputOptions;
  readonly #marks = new Map<string, () => void>();
  #markCount = 0;
  #spoken: HeardText | undefined;

  constructor(options: SpeechOutputOptions) {
    this.#options = options;
  }

  /** The text that is being spoken, if any. */
  get spoken(): HeardText | undefined {
    return this.#spoken;
  }

  /** Whether the assistant can be heard now. */
  get isAudible(): boolean {
    return this.#spoken?.isAudible === true;
  }

  /**
   * Speaks a text, and resolves when it has been heard or cut off.
   *
   * @param speak passes the text's audio to the peer until its signal is aborted.
   * @param seconds the text is cut off after this time.
   * @param signal also cuts the text off.
   */
  async say(
    speak: (spoken: HeardText, signal: AbortSignal) => Promise<void>,
    seconds: number,
    signal: AbortSignal,
  ): Promise<Spoken> {
    signal.throwIfAborted();
    const spoken = new HeardText(this.#options.now);
    const stop = new AbortController();
    void spoken.over.then(() => {
      stop.abort();
    });
    this.#spoken = spoken;
    const timer = setTimeout(
      () => {
        this.cutOff('time');
      },
      Math.min(Math.max(0, seconds) * 1000, longestTimer),
    );
    const abort = () => {
      this.cutOff('signal');
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      const error = await speak(spoken, stop.signal).catch((reason: unknown) => {
        this.cutOff('end');
        return reason as Error;
      });
      const cutOffBy = await spoken.over;
      const result = spoken.result(cutOffBy);
      this.#options.listener?.onAssistantSaid(result.played, cutOffBy !== undefined);
      return { ...result, ...(error && { error }) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      // The end may be reported just after a pause.
      this.resume();
      this.#spoken = undefined;
    }
  }

  /** Passes the audio of each sentence to the peer, at most one sentence ahead of playback. */
  async speakSentences(
    text: AsyncIterable<string>,
    { language, speed }: Pick<SynthesisSettings, 'language' | 'speed'>,
    synthesize: (sentence: string) => AsyncIterable<Int16Array>,
    spoken: HeardText,
    signal: AbortSignal,
  ): Promise<void> {
    const { peer, now, listener } = this.#options;
    const parts = sentences(text, language);
    const plain = new PlainSpeech();
    for (;;) {
      const result = await Promise.race([parts.next(), spoken.over]);
      if (spoken.isOver || typeof result !== 'object') {
        // Not awaited: a generator that is waiting for the model returns only after the model has answered.
        parts.return(undefined).catch(() => undefined);
        return;
      }
      if (result.done === true) break;
      const sentence = spoken.add(result.value, speed);
      const started = Promise.withResolvers<undefined>();
      let isMarked = false;
      // Only once there is audio: otherwise the customer would seem to interrupt a silent assistant.
      const markStart = () => {
        if (isMarked || signal.aborted) return;
        isMarked = true;
        this.mark(() => {
          sentence.startedAt = now();
          listener?.onAssistantSaying(sentence.text);
          started.resolve(undefined);
        });
      };
      try {
        const words = plain.convert(result.value);
        if (isSpeakable(words)) {
          for await (const samples of synthesize(words)) {
            if (signal.aborted) break;
            markStart();
            sentence.seconds += samples.length / peer.rate;
            peer.play(samples);
          }
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      sentence.isComplete = true;
      markStart();
      this.mark(() => {
        sentence.isPlayed = true;
      });
      await Promise.race([started.promise, spoken.over]);
    }
    this.mark(() => {
      spoken.end();
    });
  }

  /** Pauses playback until it is known whether the customer interrupts. */
  pause(): void {
    if (!this.isAudible || this.isPaused) return;
    this.#spoken?.pause();
    this.#options.peer.pause();
    this.#options.listener?.onAssistantPaused();
  }

  get isPaused(): boolean {
    return this.#spoken?.isPaused === true;
  }

  /** Resumes after a pause. */
  resume(): void {
    if (!this.isPaused) return;
    this.#spoken?.resume();
    this.#options.peer.resume();
    this.#options.listener?.onAssistantResumed();
  }

  /** Stops the text that is being spoken, if any. */
  cutOff(reason: CutOff): void {
    if (!this.#spoken || this.#spoken.isOver) return;
    this.#spoken.cutOff(reason);
    this.#marks.clear();
    this.#options.peer.flush();
  }

  /** Calls `callback` when all audio so far has been played, unless it is discarded. */
  mark(callback: () => void): void {
    const id = String(this.#markCount++);
    this.#marks.set(id, callback);
    this.#options.peer.mark(id);
  }

  /** Handles {@link AudioListener.onMark}. */
  onMark(id: string): void {
    const callback = this.#marks.get(id);
    this.#marks.delete(id);
    callback?.();
  }

  close(): void {
    this.cutOff('end');
    this.#marks.clear();
  }
}
