import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { findModel } from './find-models.ts';
import { Flite } from './flite.ts';
import { ModelCache } from './model-cache.ts';
import { moonshineTokens } from './moonshine-tokens.ts';
import { fromFloats, loadSherpa, toFloats } from './sherpa.ts';
import type { OfflineRecognizer, OfflineTts } from './sherpa.ts';
import type { RecognizerConfig, SpeechRequest, SpeechResponse } from './speech-process.ts';

// The program of the child process that `SpeechProcess` starts.

/** Loaded transcription models, by their settings. */
const recognizers = new ModelCache<OfflineRecognizer>();
const flite = new Flite();
/** Loaded voices, by their folders. */
const voices = new ModelCache<OfflineTts>();

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
    respond({ text: await transcribe(request.samples, request.rate, request.model) });
  } else if (request.type === 'load') {
    await recognizerOf(request.model);
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

/** Whisper ignores the rest of longer audio. */
const longestWhisper = 29;

async function transcribe(samples: Int16Array, rate: number, model: RecognizerConfig): Promise<string> {
  const recognizer = await recognizerOf(model);
  const isWhisper = model !== undefined && 'whisper' in model.modelConfig;
  const step = isWhisper ? longestWhisper * rate : samples.length;
  const texts: string[] = [];
  for (let start = 0; start < samples.length; start += step) {
    const stream = recognizer.createStream();
    const part = toFloats(samples.subarray(start, start + step));
    stream.acceptWaveform({ samples: part, sampleRate: rate });
    texts.push((await recognizer.decodeAsync(stream)).text.trim());
  }
  return texts.join(' ').trim();
}

function recognizerOf(model: RecognizerConfig): Promise<OfflineRecognizer> {
  if (!model) return recognizers.get('', loadRecognizer);
  return recognizers.get(JSON.stringify(model), () => loadSherpa().OfflineRecognizer.createAsync(model));
}

async function loadRecognizer(): Promise<OfflineRecognizer> {
  const [encoder, mergedDecoder] = [findModel('encoder'), findModel('decoder')];
  if (encoder === undefined || mergedDecoder === undefined)
    throw new Error('The transcription model is not installed.');
  const folder = mkdtempSync(join(tmpdir(), 'speech-'));
  try {
    const tokens = join(folder, 'tokens.txt');
    writeFileSync(tokens, await moonshineTokens());
    const model = { moonshine: { encoder, mergedDecoder }, tokens, numThreads: 1, provider: 'cpu' };
    return new (loadSherpa().OfflineRecognizer)({ modelConfig: model });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function loadVoice(folder: string, config: object): Promise<OfflineTts> {
  return voices.get(folder, () => loadSherpa().OfflineTts.createAsync(config));
}
