import { Flite } from '../../../src/voice/speech/flite.ts';

/** Recorded speech. */
export interface Recording {
  rate: number;
  samples: Int16Array;
  text: string;
}

/** Samples below this level, of 32,768, are silence. */
const silent = 300;
const flite = new Flite();

/** Records a sentence with the program flite, without silence at its ends. */
export async function record(text: string, voice = 'slt'): Promise<Recording> {
  const { rate, samples } = await flite.speak(text, voice, 1);
  const isLoud = (sample: number) => Math.abs(sample) > silent;
  return { rate, text, samples: samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1) };
}
