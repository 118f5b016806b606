import type { Transcriber } from '../../service/voice/transcriber.ts';
import type { RecognizerConfig, SpeechProcess } from './speech-process.ts';
import type { SuppliedRecognizer } from './supplied-recognizers.ts';

/** Transcribes with the operator's model for the language, otherwise English with Moonshine. */
export class OfflineTranscriber implements Transcriber {
  readonly #process: SpeechProcess;
  readonly #recognizers: readonly SuppliedRecognizer[];
  readonly #hasMoonshine: boolean;

  constructor(process: SpeechProcess, recognizers: readonly SuppliedRecognizer[], hasMoonshine: boolean) {
    this.#process = process;
    this.#recognizers = recognizers;
    this.#hasMoonshine = hasMoonshine;
  }

  problem(language: string): string | undefined {
    return this.#find(language)
      ? undefined
      : `Offline transcription does not support the language ${language}. Set TRANSCRIPTION_MODEL_DIR or TRANSCRIPTION_BASE_URL.`;
  }

  warmUp(language: string | undefined): void {
    const found = this.#find(language);
    if (!found) return;
    const { model } = found;
    const [samples, rate] = [new Int16Array(16_000), 16_000];
    this.#process.warmUp(JSON.stringify(model ?? null), { type: 'transcribe', samples, rate, model });
  }

  detects(languages: readonly string[]): boolean {
    return languages.every((language) => this.#widest?.languages.includes(language));
  }

  /** The model with the most languages. */
  get #widest(): SuppliedRecognizer | undefined {
    return this.#recognizers.toSorted((a, b) => b.languages.length - a.languages.length)[0];
  }

  #find(language: string | undefined): { model: RecognizerConfig } | undefined {
    const supplied =
      language === undefined
        ? this.#widest
        : this.#recognizers.find(({ languages }) => languages.includes(language));
    if (supplied) return { model: supplied.configFor(language) };
    return this.#hasMoonshine && (language ?? 'en') === 'en' ? { model: undefined } : undefined;
  }

  get isBusy(): boolean {
    return !this.#process.isIdle;
  }

  async transcribe(
    samples: Int16Array,
    rate: number,
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<string> {
    const found = this.#find(language);
    if (!found) throw new Error(this.problem(language ?? 'en'));
    let text = '';
    await this.#process.run(
      { type: 'transcribe', samples, rate, model: found.model },
      (response) => {
        text += response.text ?? '';
      },
      signal,
    );
    return text;
  }

  async transcribeSoFar(
    samples: Int16Array,
    rate: number,
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    return this.isBusy ? undefined : this.transcribe(samples, rate, language, signal);
  }
}
