const sampleRate = 8000;
const samples = sampleRate / 10;
const headerBytes = 44;

/** A tenth of a second of silence, as a WAV file: 8-bit PCM, one channel. */
export const silentAudio: Uint8Array<ArrayBuffer> = createSilence();

function createSilence(): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(headerBytes + samples).fill(128);
  const view = new DataView(file.buffer);
  const write = (text: string, offset: number) => {
    file.set(new TextEncoder().encode(text), offset);
  };
  write('RIFF', 0);
  view.setUint32(4, headerBytes - 8 + samples, true);
  write('WAVEfmt ', 8);
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  write('data', 36);
  view.setUint32(40, samples, true);
  return file;
}
