import type { CallMessage } from '../db/calls-table.ts';

/*
 * Recordings of simulated calls: a simulated carrier exchanges text, so its recordings consist of tones, a higher one
 * for the assistant and a lower one for the customer, with the timing of the call. They are generated on request,
 * also in part.
 */

/** Samples per second, of one byte each. */
const sampleRate = 8000;
const headerBytes = 44;
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
  lines: readonly CallMessage[],
  seconds: number,
  start: number,
  end: number,
): Generator<Uint8Array<ArrayBuffer>, undefined> {
  if (start < headerBytes) yield wavHeader(seconds * sampleRate).slice(start, Math.min(end, headerBytes));
  for (let from = Math.max(start, headerBytes); from < end; from += chunkSize) {
    const bytes = new Uint8Array(Math.min(chunkSize, end - from)).fill(silence);
    for (const line of lines) writeTone(bytes, from - headerBytes, line);
    yield bytes;
  }
}

/** Writes the tone of a line into samples that start at index `first` of the recording. */
function writeTone(samples: Uint8Array, first: number, { role, at, seconds }: CallMessage): void {
  const begin = Math.max(0, Math.round(at * sampleRate) - first);
  const end = Math.min(samples.length, Math.round((at + seconds) * sampleRate) - first);
  for (let index = begin; index < end; index++) {
    const time = (first + index) / sampleRate;
    const loudness = 24 * (1 - Math.cos(2 * Math.PI * syllableRate * (time - at)));
    samples[index] = silence + Math.round(loudness * Math.sin(2 * Math.PI * pitches[role] * time));
  }
}

function wavHeader(bytes: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(headerBytes);
  const view = new DataView(header.buffer);
  const write = (text: string, offset: number) => {
    header.set(new TextEncoder().encode(text), offset);
  };
  write('RIFF', 0);
  view.setUint32(4, headerBytes - 8 + bytes, true);
  write('WAVEfmt ', 8);
  view.setUint32(16, 16, true);
  // Uncompressed, one channel.
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  write('data', 36);
  view.setUint32(40, bytes, true);
  return header;
}
