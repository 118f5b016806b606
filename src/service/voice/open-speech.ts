import type { AudioEndpoint } from './audio-endpoint.ts';
import type { SpeechConfig } from './speech-config.ts';
import type { Synthesizer } from './synthesizer.ts';
import type { Transcriber } from './transcriber.ts';

/** The synthesizers and transcribers of the service. */
export interface Speech {
  /** The default synthesizer; undefined if there is none. */
  synthesizer: Synthesizer | undefined;
  /** The default transcriber; undefined if there is none. */
  transcriber: Transcriber | undefined;
  /** Synthesizers that assistants can choose, by provider code, with the names of their voices. */
  synthesizers?: ReadonlyMap<string, { synthesizer: Synthesizer | undefined; voices: ReadonlySet<string> }>;
  /** Transcribers that assistants can choose, by provider code. */
  transcribers?: ReadonlyMap<string, ConfiguredTranscriber>;
}

export interface ConfiguredTranscriber {
  transcriber: Transcriber | undefined;
  /** Two-letter codes of its languages; undefined: all. */
  languages: readonly string[] | undefined;
}

/**
 * Opens the configured endpoints.
 *
 * @param offline used where no endpoint is configured.
 */
export async function openSpeech(
  { synthesizer, transcriber, synthesizers, transcribers, isProvisional }: SpeechConfig,
  offline: Pick<Speech, 'synthesizer' | 'transcriber'> | undefined,
): Promise<Speech> {
  // The OpenAI client is loaded only if an endpoint is configured.
  const openSynthesizer = async (endpoint: (AudioEndpoint & { voice: string }) | undefined) =>
    endpoint
      ? new (await import('./openai-synthesizer.ts')).OpenAiSynthesizer(endpoint)
      : offline?.synthesizer;
  const openTranscriber = async (endpoint: AudioEndpoint | undefined) =>
    endpoint
      ? new (await import('./openai-transcriber.ts')).OpenAiTranscriber(endpoint, isProvisional)
      : offline?.transcriber;
  const speech = { synthesizers: new Map(), transcribers: new Map() } satisfies Partial<Speech>;
  for (const { code, endpoint, voices } of synthesizers) {
    const names = new Set(voices.map((voice) => voice.code));
    speech.synthesizers.set(code, { synthesizer: await openSynthesizer(endpoint), voices: names });
  }
  for (const { code, endpoint, languages } of transcribers)
    speech.transcribers.set(code, { transcriber: await openTranscriber(endpoint), languages });
  return {
    ...speech,
    synthesizer: await openSynthesizer(synthesizer),
    transcriber: await openTranscriber(transcriber),
  };
}
