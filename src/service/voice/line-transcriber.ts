import type { Logger } from 'pino';
import type { SpeechSettings } from './line.ts';
import type { Transcriber } from './transcriber.ts';
import type { TranscriptionUsage } from './transcription-usage.ts';

export interface LineTranscriberOptions {
  transcriber: Transcriber;
  /** Sample rate of the line. */
  rate: number;
  settings: Pick<SpeechSettings, 'language' | 'otherLanguages'>;
  log: Logger;
  /** Called with the usage of each transcription. */
  onUsage?: ((usage: TranscriptionUsage) => void) | undefined;
}

const transcriptionMs = 30_000;

/** Transcribes the audio of one line until it is closed. */
export class LineTranscriber {
  /** Undefined if the customer may speak several languages. */
  readonly language: string | undefined;
  readonly #options: LineTranscriberOptions;
  readonly #closed = new AbortController();

  constructor(options: LineTranscriberOptions) {
    this.#options = options;
    const { language, otherLanguages = [] } = options.settings;
    const isDetected =
      otherLanguages.length > 0 && (options.transcriber.detects?.([language, ...otherLanguages]) ?? true);
    this.language = isDetected ? undefined : language;
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
