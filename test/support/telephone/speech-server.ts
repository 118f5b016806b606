import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { decodeWav } from '../../../src/service/voice/wav.ts';

const run = promisify(execFile);
const packages = ['sherpa-onnx-node@1.13.8', '@moonshine-ai/moonshine-js@0.1.29', 'llama-tokenizer-js@1.2.2'];

/** Of sherpa-onnx, what is used here. */
interface Sherpa {
  OfflineRecognizer: new (config: object) => {
    createStream(): { acceptWaveform(wave: { sampleRate: number; samples: Float32Array }): void };
    decode(stream: object): void;
    getResult(stream: object): { text: string };
  };
}

/**
 * Starts an OpenAI-compatible server of `/v1/audio` that works without a network: speech by flite, transcription by
 * Moonshine.
 *
 * @param cacheFolder where the packages are installed if they are missing; they are no dependencies of the project.
 */
export async function startSpeechServer(cacheFolder: string) {
  const transcribe = await loadMoonshine(join(cacheFolder, 'speech'));
  const spoken: string[] = [];
  const app = new Hono();
  app.post('/v1/audio/speech', async (context) => {
    const { input } = await context.req.json<{ input: string }>();
    spoken.push(input);
    return context.body(new Uint8Array(await synthesize(input, cacheFolder)), 200, {
      'Content-Type': 'audio/wav',
    });
  });
  app.post('/v1/audio/transcriptions', async (context) => {
    const { file } = await context.req.parseBody<{ file: File }>();
    const { samples, rate } = await readWav(Buffer.from(await file.arrayBuffer()));
    return context.json({ text: transcribe(samples, rate) });
  });
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return {
    baseUrl: `http://127.0.0.1:${String(port)}/v1`,
    /** The texts that were spoken. */
    spoken,
    transcribe,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

let files = 0;

/** Speaks a text with flite; returns a WAV file. */
export async function synthesize(text: string, folder: string): Promise<Buffer> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `speech-${String(process.pid)}-${String(files++)}.wav`);
  await run('flite', ['-voice', 'slt', '-t', text, '-o', file]);
  return readFileSync(file);
}

/** Reads a whole WAV file. */
export async function readWav(file: Buffer): Promise<{ samples: Int16Array; rate: number }> {
  for await (const part of decodeWav(new Blob([new Uint8Array(file)]).stream())) return part;
  return { samples: new Int16Array(0), rate: 16_000 };
}

async function loadMoonshine(folder: string): Promise<(samples: Int16Array, rate: number) => string> {
  if (!existsSync(join(folder, 'node_modules/sherpa-onnx-node'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    await run(
      'npm',
      ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...packages],
      {
        cwd: folder,
      },
    );
  }
  const model = join(folder, 'node_modules/@moonshine-ai/moonshine-js/dist/model/tiny/quantized');
  const tokens = join(folder, 'tokens.txt');
  writeFileSync(tokens, readVocabulary(join(folder, 'node_modules/llama-tokenizer-js/llama-tokenizer.js')));
  const { OfflineRecognizer } = createRequire(join(folder, 'package.json'))('sherpa-onnx-node') as Sherpa;
  const recognizer = new OfflineRecognizer({
    modelConfig: {
      moonshine: {
        encoder: join(model, 'encoder_model.onnx'),
        mergedDecoder: join(model, 'decoder_model_merged.onnx'),
      },
      tokens,
      numThreads: 1,
    },
  });
  return (samples, rate) => {
    const stream = recognizer.createStream();
    stream.acceptWaveform({
      sampleRate: rate,
      samples: Float32Array.from(samples, (sample) => sample / 32_768),
    });
    recognizer.decode(stream);
    return recognizer.getResult(stream).text.trim();
  };
}

/** Moonshine's vocabulary is Llama's and some more; sherpa-onnx reads a token in base64 and its id in each line. */
function readVocabulary(script: string): string {
  const encoded = /const llama_vocab_base64 = "([^"]+)"/.exec(readFileSync(script, 'utf8'))?.[1] ?? '';
  const vocabulary = Buffer.from(encoded, 'base64').toString('utf8').split('\n');
  return Array.from({ length: 32_768 }, (_, id) => {
    const token = vocabulary[id] ?? `<<ST_${String(id)}>>`;
    const byte = /^<0x([0-9A-F]{2})>$/.exec(token)?.[1];
    const bytes = byte === undefined ? Buffer.from(token) : Buffer.from(byte, 'hex');
    return `${bytes.toString('base64')}\t${String(id)}\n`;
  }).join('');
}
