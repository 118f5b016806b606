import type { TranscriptionUsage } from './transcription-usage.ts';

/** Converts speech to text. Samples are 16-bit, mono. */
export interface Transcriber {
  /**
   * Returns the text, empty if nothing was understood.
   *
   * @param language undefined to detect the language.
   * @param onUsage receives the billed usage when the transcription is complete.
   */
  transcribe(
    samples: Int16Array,
    rate: number,
    language: string | undefined,
    signal: AbortSignal,
    onUsage?: (usage: TranscriptionUsage) => void,
  ): Promise<string>;
  /** Like {@link transcribe}, for unfinished speech. Returns undefined if no capacity is free. */
  transcribeSoFar?(
    samples: Int16Array,
    rate: number,
    language: string | undefined,
    signal: AbortSignal,
    onUsage?: (usage: TranscriptionUsage) => void,
  ): Promise<string | undefined>;
  /**
   * Prepares for a call that begins soon, such as by loading a model. Has no effect if that has been done.
   *
   * @param language undefined to detect the language.
   */
  warmUp?(language: string | undefined): void;
  /** Whether it can detect which of these languages is spoken. Without this method, it can. */
  detects?(languages: readonly string[]): boolean;
  /** Whether an early transcription, which may be discarded, would delay others. */
  readonly isBusy?: boolean;
  /** Returns why it cannot serve a language, as a sentence; undefined if it can. */
  problem?(language: string): string | undefined;
}
