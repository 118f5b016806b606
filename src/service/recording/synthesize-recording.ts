import type { CallMessage } from '../db/calls-table.ts';
import { wavHeader, wavHeaderLength as headerBytes } from '../voice/wav-header.ts';

/*
 * Recordings of simulated calls: a simulated carrier exchanges text, so its recordings consist of tones, a higher one
 * for the assistant and a lower one for the customer, with the timing of the call. They are generated on request,
 * also in part.
 */

/** Samples per second, of one byte each. */
const sampleRate = 8000;
const silence = 128;
/** Bytes per chunk. */
const chunkSize = 64 * 1024;

/** Hertz of each side's tone. */
const pitches = { assistant: 440, user: 294 } as const;
/** Volume peaks per second, like the syllables of speech. */
const syllableRate = 4;

/** Size in bytes of a recording of the given duration. */
export const recordingSize = (seconds: number): number => headerBytes + seconds * sampleRate;

/** Yields the bytes of a WAV file from `start` up to but not including `end`. */
export function* synthesizeRecording(
  messages: readonly CallMessage[],
  seconds: number,
  start: number,
  end: number,
): Generator<Uint8Array<ArrayBuffer>, undefined> {
  if (start < headerBytes) {
    const header = wavHeader({ rate: sampleRate, channels: 1, bits: 8 }, seconds * sampleRate);
    yield header.subarray(start, Math.min(end, headerBytes));
  }
  for (let from = Math.max(start, headerBytes); from < end; from += chunkSize) {
    const bytes = new Uint8Array(Math.min(chunkSize, end - from)).fill(silence);
    for (const message of messages) writeTone(bytes, from - headerBytes, message);
    yield bytes;
  }
}

/** Writes the tone of a message into samples that start at index `first` of the recording. */
function writeTone(samples: Uint8Array, first: number, { role, at, seconds }: CallMessage): void {
  const begin = Math.max(0, Math.round(at * sampleRate) - first);
  const end = Math.min(samples.length, Math.round((at + seconds) * sampleRate) - first);
  for (let index = begin; index < end; index++) {
    const time = (first + index) / sampleRate;
    const loudness = 24 * (1 - Math.cos(2 * Math.PI * syllableRate * (time - at)));
    samples[index] = silence + Math.round(loudness * Math.sin(2 * Math.PI * pitches[role] * time));
  }
}
