import type { SpeechSettings } from './line.ts';
import type { Speech } from './open-speech.ts';
import type { Synthesizer, Transcriber } from './speech-service.ts';

/** What an assistant has chosen to speak and listen. */
export type SpeechChoice = Pick<SpeechSettings, 'voice' | 'synthesizer' | 'transcriber'>;

/** What speaks and listens for an assistant; undefined if nothing can. */
export interface ChosenSpeech {
  synthesizer: Synthesizer | undefined;
  transcriber: Transcriber | undefined;
  /** Undefined if the synthesizer does not have the assistant's voice. */
  voice: SpeechSettings['voice'];
}

/**
 * Chooses by the providers of an assistant; those without an endpoint leave it to the default. The provider of the voice
 * comes first, since no other has it.
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
