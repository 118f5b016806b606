import type OpenAI from 'openai';
import { createAudioClient } from './audio-endpoint.ts';
import type { AudioEndpoint } from './audio-endpoint.ts';
import { Resampler } from './resampler.ts';
import type { Synthesizer, SynthesisSettings } from './synthesizer.ts';
import { decodeWav } from './wav.ts';

/** Longest wait for more audio, in milliseconds. The client's own limit ends with the headers of the response. */
const defaultStallMs = 30_000;

/** Synthesizes speech with an OpenAI-compatible endpoint (`/v1/audio/speech`). */
export class OpenAiSynthesizer implements Synthesizer {
  readonly #model: string;
  readonly #defaultVoice: string;
  readonly #client: OpenAI;
  readonly #stallMs: number;

  /** @param endpoint.voice the voice of assistants that have chosen none of this endpoint. */
  constructor(endpoint: AudioEndpoint & { voice: string }, { stallMs = defaultStallMs } = {}) {
    this.#stallMs = stallMs;
    this.#model = endpoint.model;
    this.#defaultVoice = endpoint.voice;
    this.#client = createAudioClient(endpoint);
  }

  async *speak(
    text: string,
    { voice, speed }: SynthesisSettings,
    rate: number,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array> {
    const stalled = new AbortController();
    const response = await this.#client.audio.speech.create(
      {
        input: text,
        model: this.#model,
        voice: voice ?? this.#defaultVoice,
        speed,
        // Unlike raw samples, a WAV file declares its sample rate.
        response_format: 'wav',
      },
      { signal: AbortSignal.any([signal, stalled.signal]) },
    );
    if (!response.body) return;
    let timer: NodeJS.Timeout | undefined;
    const awaitMore = () => {
      timer = setTimeout(() => {
        stalled.abort();
      }, this.#stallMs);
    };
    try {
      let resampler: Resampler | undefined;
      awaitMore();
      for await (const { rate: given, samples } of decodeWav(response.body)) {
        // Not while the audio is used: the caller may pause it for longer.
        clearTimeout(timer);
        resampler ??= new Resampler(given, rate);
        yield resampler.convert(samples);
        awaitMore();
      }
      clearTimeout(timer);
      if (resampler) yield resampler.end();
    } catch (error) {
      if (!stalled.signal.aborted) throw error;
      throw new Error('The speech endpoint stopped sending audio.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}
