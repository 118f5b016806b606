import type { CallLine } from '../db/calls-table.ts';

/*
 * A recording without a voice: since a simulated carrier speaks in text, its recordings are tones, a higher one for the
 * assistant and a lower one for the customer, as long as each spoke, with the pauses between. They are made when they
 * are asked for, any part of them alone.
 */

/** Samples in a second, of one byte each. */
const rate = 8000;
const headerBytes = 44;
const silence = 128;
/** Samples that are made in one go. */
const piece = 64 * 1024;

/** Hertz of each side's tone. */
const pitches = { assistant: 440, user: 294 } as const;
/** Swellings in a second, as speech has syllables. */
const syllables = 4;

/** Bytes of the recording of so many seconds. */
export const recordingSize = (seconds: number): number => headerBytes + seconds * rate;

/** The bytes from `start` up to and without `end` of a recording, as a WAV file. */
export function* synthesiseRecording(
  lines: readonly CallLine[],
  seconds: number,
  start: number,
  end: number,
): Generator<Uint8Array<ArrayBuffer>, undefined> {
  if (start < headerBytes) yield wavHeader(seconds * rate).slice(start, Math.min(end, headerBytes));
  for (let from = Math.max(start, headerBytes); from < end; from += piece) {
    const bytes = new Uint8Array(Math.min(piece, end - from)).fill(silence);
    for (const line of lines) fillIn(bytes, from - headerBytes, line);
    yield bytes;
  }
}

/** Writes into samples, the first of which is number `first`, what one side said among them. */
function fillIn(samples: Uint8Array, first: number, { role, at, seconds }: CallLine): void {
  const begin = Math.max(0, Math.round(at * rate) - first);
  const end = Math.min(samples.length, Math.round((at + seconds) * rate) - first);
  for (let index = begin; index < end; index++) {
    const time = (first + index) / rate;
    const loudness = 24 * (1 - Math.cos(2 * Math.PI * syllables * (time - at)));
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
  view.setUint32(24, rate, true);
  view.setUint32(28, rate, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  write('data', 36);
  view.setUint32(40, bytes, true);
  return header;
}
