import type { SpeechSettings } from './line.ts';
import type { VoiceSettings } from './speech-service.ts';

/** Returns how an assistant's texts are spoken by an OpenAI-compatible server or without a network. */
export const voiceSettings = ({ language, voice, speed }: SpeechSettings): VoiceSettings => ({
  language,
  // The server does not know the voices of other providers.
  voice: voice?.provider === 'openai' ? voice.name : undefined,
  speed,
});
