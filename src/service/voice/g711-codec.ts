import { frameSeconds } from './audio-codec.ts';
import type { AudioCodec } from './audio-codec.ts';

const rate = 8000;
/** Maximum number of lost frames that are replaced by the last frame, each at half the previous volume. */
const longestFade = 3;

interface Law {
  toByte: (sample: number) => number;
  toSample: (byte: number) => number;
}

const muLaw: Law = {
  toByte: (sample) => {
    const magnitude = Math.min(Math.abs(sample), 32_635) + 132;
    const exponent = 24 - Math.clz32(magnitude);
    const mantissa = (magnitude >> (exponent + 3)) & 15;
    return ~((sample < 0 ? 128 : 0) | (exponent << 4) | mantissa) & 255;
  },
  toSample: (byte) => {
    const bits = ~byte & 255;
    const magnitude = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132;
    return bits & 128 ? -magnitude : magnitude;
  },
};

const aLaw: Law = {
  toByte: (sample) => {
    const magnitude = Math.min(sample < 0 ? -sample - 1 : sample, 32_767);
    const exponent = Math.max(0, 24 - Math.clz32(magnitude));
    const mantissa = (magnitude >> Math.max(4, exponent + 3)) & 15;
    return ((sample < 0 ? 0 : 128) | (exponent << 4) | mantissa) ^ 0x55;
  },
  toSample: (byte) => {
    const bits = byte ^ 0x55;
    const exponent = (bits >> 4) & 7;
    const mantissa = ((bits & 15) << 4) + 8;
    const magnitude = exponent === 0 ? mantissa : (mantissa + 256) << (exponent - 1);
    return bits & 128 ? magnitude : -magnitude;
  },
};

/** Creates a G.711 codec, which every browser supports. */
export function createG711Codec(name: 'PCMU' | 'PCMA'): AudioCodec {
  const { toByte, toSample } = name === 'PCMU' ? muLaw : aLaw;
  let last = new Int16Array(rate * frameSeconds);
  let lost = 0;
  return {
    rate,
    clockRate: rate,
    encode: (frame) => Buffer.from(Uint8Array.from(frame, toByte)),
    decode: (payload) => {
      lost = 0;
      last = Int16Array.from(payload, toSample);
      return last;
    },
    conceal: () => {
      lost++;
      const gain = lost > longestFade ? 0 : 0.5 ** lost;
      return last.map((sample) => sample * gain);
    },
    close: () => undefined,
  };
}
