import { wavHeader, wavHeaderLength } from './wav-header.ts';

/** Maximum length of the header: other chunks may precede the samples. */
const maxHeaderLength = 65_536;

/** Encodes samples as a WAV file (16-bit, mono). */
export function encodeWav(samples: Int16Array, rate: number): Buffer<ArrayBuffer> {
  const file = Buffer.alloc(wavHeaderLength + samples.length * 2);
  file.set(wavHeader({ rate, channels: 1, bits: 16 }, samples.length * 2));
  for (const [index, sample] of samples.entries()) file.writeInt16LE(sample, wavHeaderLength + index * 2);
  return file;
}

/**
 * Decodes a streamed WAV file (16-bit, mono). A streaming server does not know the length of its samples, and sends 0
 * or a very large number. Chunks after the samples are ignored.
 *
 * @throws Error if the audio has another format.
 */
export async function* decodeWav(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ rate: number; samples: Int16Array }> {
  let rest = Buffer.alloc(0);
  let rate: number | undefined;
  let missing = 0;
  for await (const chunk of bytes) {
    rest = Buffer.concat([rest, chunk]);
    if (rate === undefined) {
      const header = readHeader(rest);
      if (!header) continue;
      rate = header.rate;
      missing = header.samplesLength === 0 ? Infinity : header.samplesLength;
      rest = rest.subarray(header.length);
    }
    rest = rest.subarray(0, missing);
    const count = Math.floor(rest.length / 2);
    if (count === 0) continue;
    yield { rate, samples: readSamples(rest, count) };
    rest = rest.subarray(count * 2);
    missing -= count * 2;
  }
  if (rate === undefined) throw new Error('The audio ended before the WAV header was complete.');
}

/** Copies 16-bit samples, since bytes from the network may not be aligned. */
export function readSamples(bytes: Buffer, count = Math.floor(bytes.length / 2)): Int16Array {
  return Int16Array.from({ length: count }, (_, index) => bytes.readInt16LE(index * 2));
}

/** Returns undefined if the header is not complete. Lengths are in bytes. */
function readHeader(file: Buffer): { rate: number; length: number; samplesLength: number } | undefined {
  if (file.length >= 12 && (ascii(file, 0) !== 'RIFF' || ascii(file, 8) !== 'WAVE')) {
    throw new Error('The audio is not a WAV file.');
  }
  let at = 12;
  let rate: number | undefined;
  while (file.length >= at + 8) {
    const id = ascii(file, at);
    const length = file.readUInt32LE(at + 4);
    if (id === 'data') {
      if (rate === undefined) throw new Error('The WAV file has no format chunk before its samples.');
      return { rate, length: at + 8, samplesLength: length };
    }
    if (id === 'fmt ') {
      if (file.length < at + 24) return undefined;
      const [channels, bits] = [file.readUInt16LE(at + 10), file.readUInt16LE(at + 22)];
      rate = file.readUInt32LE(at + 12);
      if (channels !== 1 || bits !== 16 || rate < 8000 || rate > 48_000) {
        throw new Error(
          `The WAV file has ${String(channels)} channels of ${String(bits)} bits at ${String(rate)} Hz. 16-bit mono at 8,000 to 48,000 Hz is required.`,
        );
      }
    }
    at += 8 + length + (length % 2);
    if (at > maxHeaderLength) throw new Error('The header of the WAV file is too long.');
  }
  return undefined;
}

const ascii = (file: Buffer, at: number) => file.toString('latin1', at, at + 4);
