import type { WantedVoice } from './espeak-voices.ts';

/* Not in `flite.ts`: Node.js prints a warning in every process that imports WASI. */

const fliteVoices = ['slt', 'rms', 'awb', 'kal16', 'kal'];

/** Returns the named voice, otherwise one with the gender and accent: by default an American woman. */
export function chooseFliteVoice({ voice, gender, accent = '' }: WantedVoice): string {
  if (voice !== undefined && fliteVoices.includes(voice)) return voice;
  if (gender !== 'male') return 'slt';
  return /scot/i.test(accent) ? 'awb' : 'rms';
}
