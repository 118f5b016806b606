const rows = [697, 770, 852, 941];
const columns = [1209, 1336, 1477];
const keys = ['123', '456', '789', '*0#'];
/** Seconds of each key and of the pause after it; telephones need at least 0.04 of each. */
const keySeconds = 0.1;
/** Seconds of a `w`. */
const waitSeconds = 0.5;
/** Amplitude of each of the two tones; full scale is 32,768. */
const amplitude = 8000;

/** Returns the tones of telephone keys (ITU-T Q.23): `0` to `9`, `*`, `#`, and `w` for half a second of pause. */
export function dtmfTones(digits: string, rate: number): Int16Array {
  const parts = Array.from(digits, (digit) => {
    if (digit === 'w') return new Int16Array(waitSeconds * rate);
    const row = keys.findIndex((line) => line.includes(digit));
    const [low, high] = [rows[row], columns[keys[row]?.indexOf(digit) ?? -1]];
    const samples = new Int16Array(2 * keySeconds * rate);
    if (low === undefined || high === undefined) return samples;
    return samples.map((_, at) => {
      const wave = (frequency: number) => Math.sin((2 * Math.PI * frequency * at) / rate);
      return at < keySeconds * rate ? Math.round(amplitude * (wave(low) + wave(high))) : 0;
    });
  });
  const all = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
