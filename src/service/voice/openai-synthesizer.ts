import type OpenAI from 'openai';
import { createAudioClient } from './audio-endpoint.ts';
import type { AudioEndpoint } from './audio-endpoint.ts';
import { Resampler } from './resampler.ts';
import type { Synthesizer, VoiceSettings } from './speech-service.ts';
import { decodeWav } from './wav.ts';

/** Speaks by an OpenAI-compatible endpoint (`/v1/audio/speech`). */
export class OpenAiSynthesizer implements Synthesizer {
  readonly #model: string;
  readonly #defaultVoice: string;
  readonly #client: OpenAI;

  /** @param endpoint.voice speaks for assistants without a voice of this endpoint. */
  constructor(endpoint: AudioEndpoint & { voice: string }) {
    this.#model = endpoint.model;
    this.#defaultVoice = endpoint.voice;
    this.#client = createAudioClient(endpoint);
  }

  async *speak(
    text: string,
    { voice, speed }: VoiceSettings,
    rate: number,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array> {
    const response = await this.#client.audio.speech.create(
      {
        input: text,
        model: this.#model,
        voice: voice ?? this.#defaultVoice,
        speed,
        // A WAV file, unlike bare samples, says at which rate it is.
        response_format: 'wav',
      },
      { signal },
    );
    if (!response.body) return;
    let resampler: Resampler | undefined;
    for await (const { rate: given, samples } of decodeWav(response.body)) {
      resampler ??= new Resampler(given, rate);
      yield resampler.convert(samples);
    }
    if (resampler) yield resampler.end();
  }
}
