/** A sine tone: half of full scale. */
export function tone(frequency: number, seconds: number, rate: number): Int16Array {
  return Int16Array.from({ length: seconds * rate }, (_, index) =>
    Math.round(16_384 * Math.sin((2 * Math.PI * frequency * index) / rate)),
  );
}

/** The energy of a frequency in samples (Goertzel), 1 for a tone of half of full scale. */
export function energyAt(frequency: number, samples: Int16Array, rate: number): number {
  const turn = (2 * Math.PI * frequency) / rate;
  let [real, imaginary] = [0, 0];
  samples.forEach((sample, index) => {
    real += sample * Math.cos(turn * index);
    imaginary += sample * Math.sin(turn * index);
  });
  return Math.hypot(real, imaginary) / (samples.length / 2) / 16_384;
}

/** Root mean square, as a part of full scale. */
export function loudness(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length) / 32_768;
}

/** Cuts samples into frames. */
export function framesOf(samples: Int16Array, length: number): Int16Array[] {
  return Array.from({ length: Math.floor(samples.length / length) }, (_, index) =>
    samples.subarray(index * length, (index + 1) * length),
  );
}

export function join(parts: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
