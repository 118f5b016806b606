import type { SpeechSettings } from './line.ts';
import type { Speech } from './open-speech.ts';
import type { Synthesizer, Transcriber } from './speech-service.ts';

/** The speech providers and the voice that an assistant has chosen. */
export type SpeechChoice = Pick<SpeechSettings, 'voice' | 'synthesizer' | 'transcriber'>;

/** The synthesizer and transcriber of an assistant; undefined if there is none. */
export interface ChosenSpeech {
  synthesizer: Synthesizer | undefined;
  transcriber: Transcriber | undefined;
  /** Undefined if the synthesizer does not have the assistant's voice. */
  voice: SpeechSettings['voice'];
}

/**
 * Selects an assistant's speech providers. Providers without an endpoint fall back to the default. The provider of the
 * voice takes precedence, since no other has that voice.
 */
export function chooseSpeech(
  speech: Speech,
  { voice, synthesizer, transcriber }: SpeechChoice,
): ChosenSpeech {
  const ofVoice = voice && speech.synthesizers?.get(voice.provider);
  const chosen = ofVoice ?? speech.synthesizers?.get(synthesizer ?? '');
  return {
    synthesizer: chosen?.synthesizer ?? speech.synthesizer,
    transcriber: speech.transcribers?.get(transcriber ?? '') ?? speech.transcriber,
    voice: voice && ofVoice?.voices.has(voice.name) === true ? voice : undefined,
  };
}
