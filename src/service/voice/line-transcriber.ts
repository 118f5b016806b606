import type { Logger } from 'pino';
import type { SpeechSettings } from './line.ts';
import type { Transcriber } from './transcriber.ts';
import type { TranscriptionUsage } from './transcription-usage.ts';

/** The languages that the customer may speak. */
export type SpokenLanguages = Pick<SpeechSettings, 'language' | 'otherLanguages'>;

/** Returns the language to transcribe; undefined if the transcriber detects which of several is spoken. */
export function transcriptionLanguage(
  transcriber: Transcriber,
  { language, otherLanguages = [] }: SpokenLanguages,
): string | undefined {
  const isDetected =
    otherLanguages.length > 0 && (transcriber.detects?.([language, ...otherLanguages]) ?? true);
  return isDetected ? undefined : language;
}

export interface LineTranscriberOptions {
  transcriber: Transcriber;
  /** Sample rate of the line. */
  rate: number;
  settings: SpokenLanguages;
  log: Logger;
  /** Called with the usage of each transcription. */
  onUsage?: ((usage: TranscriptionUsage) => void) | undefined;
}

const transcriptionMs = 30_000;

/** Transcribes the audio of one line until it is closed. */
export class LineTranscriber {
  /** Undefined to detect it. */
  readonly language: string | undefined;
  readonly #options: LineTranscriberOptions;
  readonly #closed = new AbortController();

  constructor(options: LineTranscriberOptions) {
    this.#options = options;
    this.language = transcriptionLanguage(options.transcriber, options.settings);
    options.transcriber.warmUp?.(this.language);
  }

  /** Whether an early transcription, which may be discarded, would delay others. */
  get isBusy(): boolean {
    return this.#options.transcriber.isBusy === true;
  }

  /**
   * Returns undefined if transcription fails, and an empty text if it is stopped.
   *
   * @param options.isOptional whether the transcriber may decline, which also returns an empty text.
   * @param options.stop stops this transcription.
   */
  async transcribe(
    samples: Int16Array,
    { isOptional = false, stop }: { isOptional?: boolean; stop?: AbortSignal } = {},
  ): Promise<string | undefined> {
    const { transcriber, rate, onUsage, log } = this.#options;
    const stopped = AbortSignal.any([this.#closed.signal, ...(stop ? [stop] : [])]);
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(transcriptionMs)]);
    const audio = [samples, rate, this.language, signal, onUsage] as const;
    try {
      const text =
        isOptional && transcriber.transcribeSoFar
          ? await transcriber.transcribeSoFar(...audio)
          : await transcriber.transcribe(...audio);
      return text?.trim() ?? '';
    } catch (error) {
      if (stopped.aborted) return '';
      log.warn({ err: error }, 'speech was not transcribed');
      return undefined;
    }
  }

  /** Stops all transcriptions. */
  close(): void {
    this.#closed.abort();
  }
}
