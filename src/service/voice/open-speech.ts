import type { SpeechConfig } from './speech-config.ts';
import type { Synthesizer, Transcriber } from './speech-service.ts';

/** What speaks and listens; undefined if nothing can. */
export interface Speech {
  synthesizer: Synthesizer | undefined;
  transcriber: Transcriber | undefined;
}

/**
 * Opens the configured endpoints.
 *
 * @param offline speaks and listens where none is configured.
 */
export async function openSpeech(config: SpeechConfig, offline: Speech | undefined): Promise<Speech> {
  const { synthesizer, transcriber } = config;
  return {
    synthesizer: synthesizer
      ? new (await import('./openai-synthesizer.ts')).OpenAiSynthesizer(synthesizer)
      : offline?.synthesizer,
    transcriber: transcriber
      ? new (await import('./openai-transcriber.ts')).OpenAiTranscriber(transcriber)
      : offline?.transcriber,
  };
}
