import { toFile } from 'openai';
import type OpenAI from 'openai';
import { createAudioClient } from './audio-endpoint.ts';
import type { AudioEndpoint } from './audio-endpoint.ts';
import type { Transcriber } from './transcriber.ts';
import { readTranscriptionUsage } from './transcription-usage.ts';
import type { TranscriptionUsage } from './transcription-usage.ts';
import { encodeWav } from './wav.ts';

/** Transcribes with an OpenAI-compatible endpoint (`/v1/audio/transcriptions`). */
export class OpenAiTranscriber implements Transcriber {
  readonly #model: string;
  readonly #client: OpenAI;
  readonly #isProvisional: boolean;

  /** @param isProvisional whether to also transcribe unfinished speech, which costs extra. */
  constructor(endpoint: AudioEndpoint, isProvisional = true) {
    this.#isProvisional = isProvisional;
    this.#model = endpoint.model;
    this.#client = createAudioClient(endpoint);
  }

  async transcribe(
    samples: Int16Array,
    rate: number,
    language: string | undefined,
    signal: AbortSignal,
    onUsage?: (usage: TranscriptionUsage) => void,
  ): Promise<string> {
    const file = await toFile(encodeWav(samples, rate), 'speech.wav', { type: 'audio/wav' });
    const { text, usage } = await this.#client.audio.transcriptions.create(
      { file, model: this.#model, ...(language !== undefined && { language }) },
      { signal },
    );
    onUsage?.(readTranscriptionUsage(this.#model, usage, samples.length / rate));
    return text;
  }

  async transcribeSoFar(...speech: Parameters<Transcriber['transcribe']>): Promise<string | undefined> {
    return this.#isProvisional ? this.transcribe(...speech) : undefined;
  }
}
