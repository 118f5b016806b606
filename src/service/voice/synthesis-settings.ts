import type { SpeechSettings } from './line.ts';
import type { SynthesisSettings } from './synthesizer.ts';

/** Returns an assistant's settings for the synthesizer. */
export const synthesisSettings = ({
  language,
  voice,
  similarTo,
  speed,
}: Pick<SpeechSettings, 'language' | 'voice' | 'similarTo' | 'speed'>): SynthesisSettings => ({
  language,
  voice: voice?.name,
  similarTo,
  speed,
});
