import type { SpeechSettings } from './line.ts';
import type { VoiceSettings } from './speech-service.ts';

/** Returns how an assistant's texts are spoken. */
export const voiceSettings = ({ language, voice, speed }: SpeechSettings): VoiceSettings => ({
  language,
  voice: voice?.name,
  speed,
});
