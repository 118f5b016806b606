/** Bytes of the header. */
export const wavHeaderLength = 44;

/** The format of uncompressed samples. */
export interface WavFormat {
  rate: number;
  channels: number;
  /** Bits of a sample. */
  bits: number;
}

/** Encodes the header of a WAV file whose samples take `length` bytes. */
export function wavHeader({ rate, channels, bits }: WavFormat, length: number): Buffer<ArrayBuffer> {
  const frame = (channels * bits) / 8;
  const header = Buffer.alloc(wavHeaderLength);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(wavHeaderLength - 8 + length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * frame, 28);
  header.writeUInt16LE(frame, 32);
  header.writeUInt16LE(bits, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(length, 40);
  return header;
}
