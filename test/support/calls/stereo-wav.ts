/** A WAV file with two channels of 16 bits. */
export interface StereoWav {
  rate: number;
  left: Int16Array;
  right: Int16Array;
}

/** @throws if the file has another format. */
export function readStereoWav(file: Buffer): StereoWav {
  const text = (at: number) => file.toString('latin1', at, at + 4);
  const format = [text(0), text(8), file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt16LE(34)];
  if (format.join() !== 'RIFF,WAVE,1,2,16' || text(36) !== 'data')
    throw new Error('It is no stereo WAV file.');
  if (file.readUInt32LE(4) !== file.length - 8 || file.readUInt32LE(40) !== file.length - 44)
    throw new Error('Its header has another length.');
  const side = (offset: number) =>
    Int16Array.from({ length: (file.length - 44) / 4 }, (_, index) =>
      file.readInt16LE(44 + index * 4 + offset),
    );
  return { rate: file.readUInt32LE(24), left: side(0), right: side(2) };
}

/** Returns the parts that are not silent, in seconds: the start and end of each, by frames of 20 ms. */
export function soundsOf(samples: Int16Array, rate: number): [from: number, to: number][] {
  const frame = rate / 50;
  const parts: [number, number][] = [];
  for (let at = 0; at < samples.length; at += frame) {
    if (!samples.subarray(at, at + frame).some((sample) => Math.abs(sample) > 1000)) continue;
    const [from, to] = [at / rate, (at + frame) / rate].map((seconds) => Math.round(seconds * 100) / 100);
    const last = parts.at(-1);
    if (from === undefined || to === undefined) continue;
    if (last?.[1] === from) last[1] = to;
    else parts.push([from, to]);
  }
  return parts;
}
