import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { findModel } from './find-models.ts';
import { Flite } from './flite.ts';
import { fromFloats, loadSherpa, toFloats } from './sherpa.ts';
import type { OfflineRecognizer, OfflineTts } from './sherpa.ts';
import type { SpeechRequest, SpeechResponse } from './speech-process.ts';

// The program of the child process that `SpeechProcess` starts.

let recognizer: Promise<OfflineRecognizer> | undefined;
const flite = new Flite();
const voices = new Map<string, Promise<OfflineTts>>();

process.on('disconnect', () => process.exit());
process.on('message', (request: SpeechRequest) => {
  const respond = (response: Omit<SpeechResponse, 'id'>) => {
    process.send?.({ id: request.id, ...response } satisfies SpeechResponse);
  };
  run(request, respond).then(
    () => {
      respond({ isLast: true });
    },
    (error: unknown) => {
      respond({ isLast: true, failure: error instanceof Error ? error.message : String(error) });
    },
  );
});

async function run(
  request: SpeechRequest,
  respond: (response: Omit<SpeechResponse, 'id'>) => void,
): Promise<void> {
  if (request.type === 'transcribe') {
    respond({ text: await transcribe(request.samples, request.rate) });
  } else if (request.type === 'flite') {
    respond(await flite.speak(request.text, request.voice, request.speed));
  } else {
    const { text, speaker, speed } = request;
    const tts = await loadVoice(request.folder, request.config);
    await tts.generateAsync({
      text,
      sid: speaker,
      speed,
      enableExternalBuffer: false,
      onProgress: ({ samples }) => {
        respond({ rate: tts.sampleRate, samples: fromFloats(samples) });
        return true;
      },
    });
  }
}

async function transcribe(samples: Int16Array, rate: number): Promise<string> {
  recognizer ??= loadRecognizer();
  const loaded = await recognizer;
  const stream = loaded.createStream();
  stream.acceptWaveform({ samples: toFloats(samples), sampleRate: rate });
  const { text } = await loaded.decodeAsync(stream);
  return text.trim();
}

async function loadRecognizer(): Promise<OfflineRecognizer> {
  const [encoder, mergedDecoder] = [findModel('encoder'), findModel('decoder')];
  if (encoder === undefined || mergedDecoder === undefined)
    throw new Error('The transcription model is not installed.');
  // Loaded on demand: a process that only speaks does not need it.
  const { default: llamaTokenizer } = await import('llama-tokenizer-js');
  const folder = mkdtempSync(join(tmpdir(), 'speech-'));
  try {
    const tokens = join(folder, 'tokens.txt');
    const lines = llamaTokenizer.vocabById.map(
      (token: string, id: number) => `${Buffer.from(token).toString('base64')}\t${id}\n`,
    );
    writeFileSync(tokens, lines.join(''));
    const model = { moonshine: { encoder, mergedDecoder }, tokens, numThreads: 1, provider: 'cpu' };
    return new (loadSherpa().OfflineRecognizer)({ modelConfig: model });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function loadVoice(folder: string, config: object): Promise<OfflineTts> {
  const loaded = voices.get(folder) ?? loadSherpa().OfflineTts.createAsync(config);
  voices.set(folder, loaded);
  return loaded;
}
