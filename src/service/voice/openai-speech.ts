import OpenAI, { toFile } from 'openai';
import { Resampler } from './resampler.ts';
import type { SpeechService, VoiceSettings } from './speech-service.ts';
import { decodeWav, encodeWav } from './wav.ts';

/** An OpenAI-compatible endpoint; undefined address and key mean OpenAI's own. */
export interface SpeechEndpoint {
  baseUrl: string | undefined;
  apiKey: string | undefined;
  model: string;
}

export interface OpenAiSpeechConfig {
  speech: SpeechEndpoint & { voice: string };
  transcription: SpeechEndpoint;
}

/** Speaks and transcribes by an OpenAI-compatible service (`/v1/audio`). */
export class OpenAiSpeech implements SpeechService {
  readonly #config: OpenAiSpeechConfig;
  readonly #speech: OpenAI;
  readonly #transcription: OpenAI;

  constructor(config: OpenAiSpeechConfig) {
    this.#config = config;
    this.#speech = createClient(config.speech);
    this.#transcription = createClient(config.transcription);
  }

  async transcribe(
    samples: Int16Array,
    rate: number,
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<string> {
    const file = await toFile(encodeWav(samples, rate), 'speech.wav', { type: 'audio/wav' });
    const { text } = await this.#transcription.audio.transcriptions.create(
      { file, model: this.#config.transcription.model, ...(language !== undefined && { language }) },
      { signal },
    );
    return text;
  }

  async *speak(
    text: string,
    { voice, speed }: VoiceSettings,
    rate: number,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array> {
    const { model, voice: defaultVoice } = this.#config.speech;
    const response = await this.#speech.audio.speech.create(
      // A WAV file, unlike bare samples, says at which rate it is.
      { input: text, model, voice: voice ?? defaultVoice, speed, response_format: 'wav' },
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

function createClient({ baseUrl, apiKey }: SpeechEndpoint): OpenAI {
  // Without a key, the client would not start; servers of one's own often need none.
  return new OpenAI({ baseURL: baseUrl ?? null, apiKey: apiKey ?? 'none', maxRetries: 1, timeout: 30_000 });
}
