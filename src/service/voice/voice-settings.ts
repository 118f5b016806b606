import type { SpeechSettings } from './line.ts';
import type { VoiceSettings } from './speech-service.ts';

/** Returns an assistant's settings for the synthesizer. */
export const voiceSettings = ({ language, voice, similarTo, speed }: SpeechSettings): VoiceSettings => ({
  language,
  voice: voice?.name,
  similarTo,
  speed,
});
