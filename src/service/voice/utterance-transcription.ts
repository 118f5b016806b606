import type { LineTranscriber } from './line-transcriber.ts';
import type { Utterance } from './turn-detector.ts';
import { unknownWords } from './words.ts';

/** Seconds of speech per required word before the words are counted. */
const secondsPerWord = 0.25;
/** Additional speech before the words are counted again. */
const recountSeconds = 0.5;
/** Minimum additional speech before the displayed text is updated. */
const displaySeconds = 0.8;
/**
 * Minimum growth of the utterance before the next update. Each update transcribes all of it, so the total stays below
 * three times its length.
 */
const displayGrowth = 1.5;

/** The transcriptions of one utterance: of its unfinished speech, during its pauses, and of the whole. */
export class UtteranceTranscription {
  readonly #transcriber: LineTranscriber;
  #isTranscribingSoFar = false;
  /** Seconds of speech in the latest transcription of the unfinished utterance. */
  #secondsSoFar = -Infinity;
  /** A transcription started during a pause, before the pause was long enough to end the utterance. */
  #early: { text: Promise<string | undefined>; voicedSeconds: number; stop: AbortController } | undefined;
  /** Seconds of speech whose early transcription was discarded, because the customer continued. */
  #discardedSeconds = 0;

  constructor(transcriber: LineTranscriber) {
    this.#transcriber = transcriber;
  }

  /**
   * Transcribes the unfinished utterance, to display its text and to count its words. Returns undefined if it has hardly
   * grown since the last time, or if that text is still pending.
   *
   * @param seconds of speech so far.
   * @param words to be counted; 0: the text is only displayed.
   */
  transcribeSoFar(utterance: () => Utterance, seconds: number, words: number): Promise<string> | undefined {
    const last = this.#secondsSoFar;
    const next =
      words > 0
        ? Math.max(words * secondsPerWord, last + recountSeconds)
        : Math.max(displaySeconds, last + displaySeconds, last * displayGrowth);
    if (this.#isTranscribingSoFar || seconds < next) return undefined;
    this.#isTranscribingSoFar = true;
    this.#secondsSoFar = seconds;
    return this.#transcriber.transcribe(utterance().samples, { isOptional: words <= 0 }).then((text = '') => {
      this.#isTranscribingSoFar = false;
      return text;
    });
  }

  /** Transcribes the utterance during a pause, so that the text is known when the pause ends it. */
  transcribeEarly({ samples, voicedSeconds }: Utterance): void {
    // A customer who pauses often would be transcribed many times, so at most as much is discarded as is said.
    if (this.#discardedSeconds > voicedSeconds || this.#transcriber.isBusy) return;
    const stop = new AbortController();
    const text = this.#transcriber.transcribe(samples, { stop: stop.signal });
    this.#early = { text, voicedSeconds, stop };
  }

  /** Discards the early transcription, if any. */
  discardEarly(): void {
    if (!this.#early) return;
    this.#discardedSeconds += this.#early.voicedSeconds;
    this.#early.stop.abort();
    this.#early = undefined;
  }

  /** Returns the text of the whole utterance, once it has ended. */
  async transcribe({ samples }: Utterance): Promise<string> {
    return (await (this.#early?.text ?? this.#transcriber.transcribe(samples))) ?? unknownWords;
  }
}
