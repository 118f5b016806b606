import { createRequire } from 'node:module';

/** The part of `sherpa-onnx-node` in use; the package has no types. */
export interface Sherpa {
  Vad: new (config: object, bufferSeconds: number) => Vad;
  OfflineRecognizer: {
    new (config: object): OfflineRecognizer;
    createAsync(config: object): Promise<OfflineRecognizer>;
  };
  OfflineTts: { createAsync(config: object): Promise<OfflineTts> };
}

export interface Vad {
  acceptWaveform(samples: Float32Array): void;
  isDetected(): boolean;
  isEmpty(): boolean;
  pop(): void;
  reset(): void;
}

export interface OfflineRecognizer {
  createStream(): OfflineStream;
  decodeAsync(stream: OfflineStream): Promise<{ text: string }>;
}

interface OfflineStream {
  acceptWaveform(audio: { samples: Float32Array; sampleRate: number }): void;
}

export interface OfflineTts {
  readonly sampleRate: number;
  generateAsync(request: {
    text: string;
    sid: number;
    speed: number;
    enableExternalBuffer: boolean;
    onProgress?: (audio: { samples: Float32Array }) => boolean;
  }): Promise<{ samples: Float32Array; sampleRate: number }>;
}

/** @throws Error if the package is not installed or does not support this system. */
export function loadSherpa(): Sherpa {
  return createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa;
}

export const toFloats = (samples: Int16Array) => Float32Array.from(samples, (sample) => sample / 32_768);

export const fromFloats = (samples: Float32Array) =>
  Int16Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767))));
