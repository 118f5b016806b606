import type { SpeechSettings } from './line.ts';
import type { ConfiguredTranscriber, Speech } from './open-speech.ts';
import type { Synthesizer } from './synthesizer.ts';
import type { Transcriber } from './transcriber.ts';

/** The speech providers and the voice that an assistant has chosen. */
export type SpeechChoice = Pick<SpeechSettings, 'language' | 'voice' | 'synthesizer' | 'transcriber'>;

/** The synthesizer and transcriber of an assistant; undefined if there is none. */
export interface ChosenSpeech {
  synthesizer: Synthesizer | undefined;
  transcriber: Transcriber | undefined;
  /** Undefined if the synthesizer does not have the assistant's voice. */
  voice: SpeechSettings['voice'];
  /** The assistant's voice, for synthesizers without it. */
  similarTo: SpeechSettings['similarTo'];
}

/**
 * Selects an assistant's speech providers. The provider of the voice takes precedence, since no other has that voice.
 * If the synthesizer is not configured, the default one speaks. If the transcriber is not, the first one for the language
 * transcribes.
 */
export function chooseSpeech(
  speech: Speech,
  { language, voice, synthesizer, transcriber }: SpeechChoice,
): ChosenSpeech {
  const { transcribers = new Map<string, ConfiguredTranscriber>() } = speech;
  const ofLanguage = [...transcribers.values()].find(({ languages }) => languages?.includes(language));
  const ofVoice = voice && speech.synthesizers?.get(voice.provider);
  const chosen = ofVoice ?? speech.synthesizers?.get(synthesizer ?? '');
  const { gender = 'unknown', accent = 'standard' } = voice ?? {};
  return {
    synthesizer: chosen?.synthesizer ?? speech.synthesizer,
    transcriber: (transcribers.get(transcriber ?? '') ?? ofLanguage)?.transcriber ?? speech.transcriber,
    voice: voice && ofVoice?.voices.has(voice.name) === true ? voice : undefined,
    similarTo: voice && { gender, accent },
  };
}
