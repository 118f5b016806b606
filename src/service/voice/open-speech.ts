import type { AudioEndpoint } from './audio-endpoint.ts';
import type { SpeechConfig } from './speech-config.ts';
import type { Synthesizer, Transcriber } from './speech-service.ts';

/** What speaks and listens. */
export interface Speech {
  /** Speaks by default; undefined if nothing can. */
  synthesizer: Synthesizer | undefined;
  /** Transcribes by default; undefined if nothing can. */
  transcriber: Transcriber | undefined;
  /** Those that assistants can choose, by the code of the provider, with the names of their voices. */
  synthesizers?: ReadonlyMap<string, { synthesizer: Synthesizer | undefined; voices: ReadonlySet<string> }>;
  /** Those that assistants can choose, by the code of the provider. */
  transcribers?: ReadonlyMap<string, Transcriber | undefined>;
}

/**
 * Opens the configured endpoints.
 *
 * @param offline speaks and listens where none is configured.
 */
export async function openSpeech(
  { synthesizer, transcriber, synthesizers, transcribers, isProvisional }: SpeechConfig,
  offline: Pick<Speech, 'synthesizer' | 'transcriber'> | undefined,
): Promise<Speech> {
  // Without an endpoint, the client of OpenAI is not loaded.
  const speak = async (endpoint: (AudioEndpoint & { voice: string }) | undefined) =>
    endpoint
      ? new (await import('./openai-synthesizer.ts')).OpenAiSynthesizer(endpoint)
      : offline?.synthesizer;
  const hear = async (endpoint: AudioEndpoint | undefined) =>
    endpoint
      ? new (await import('./openai-transcriber.ts')).OpenAiTranscriber(endpoint, isProvisional)
      : offline?.transcriber;
  const speech = { synthesizers: new Map(), transcribers: new Map() } satisfies Partial<Speech>;
  for (const { code, endpoint, voices } of synthesizers) {
    const names = new Set(voices.map((voice) => voice.code));
    speech.synthesizers.set(code, { synthesizer: await speak(endpoint), voices: names });
  }
  for (const { code, endpoint } of transcribers) speech.transcribers.set(code, await hear(endpoint));
  return { ...speech, synthesizer: await speak(synthesizer), transcriber: await hear(transcriber) };
}
