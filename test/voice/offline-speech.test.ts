import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { pino } from 'pino';
import type { Synthesizer, SynthesisSettings } from '../../src/service/voice/synthesizer.ts';
import type { Transcriber } from '../../src/service/voice/transcriber.ts';
import { TurnDetector } from '../../src/service/voice/turn-detector.ts';
import type { SpeechDetector } from '../../src/service/voice/voice-module.ts';
import { VoiceLine } from '../../src/service/voice/voice-line.ts';
import { decodeWav } from '../../src/service/voice/wav.ts';
import { findModel } from '../../src/voice/speech/find-models.ts';
import { moonshineTokens } from '../../src/voice/speech/moonshine-tokens.ts';
import { OfflineSynthesizer } from '../../src/voice/speech/offline-synthesizer.ts';
import { OfflineTranscriber } from '../../src/voice/speech/offline-transcriber.ts';
import { createOfflineSpeech } from '../../src/voice/speech/offline-speech.ts';
import type { OfflineSpeech } from '../../src/voice/speech/offline-speech.ts';
import { readSuppliedRecognizers } from '../../src/voice/speech/supplied-recognizers.ts';
import { readSuppliedVoices } from '../../src/voice/speech/supplied-voices.ts';
import { SpeechProcess } from '../../src/voice/speech/speech-process.ts';
import { speechSettings } from '../support/calls/call-plan.ts';
import { MemoryPeer } from '../support/calls/memory-peer.ts';
import { eventually } from '../support/eventually.ts';
import { wordErrors } from '../support/voice/word-errors.ts';

const rate = 16_000;
const never = new AbortController().signal;
const log = pino({ level: 'silent' });
const english = { language: 'en', voice: undefined, speed: 1 };
const sentence = 'I would like to book a table for two people on Friday evening.';

describe('offline speech', () => {
  let offlineSpeech: OfflineSpeech;
  let synthesizer: Synthesizer;
  let transcriber: Transcriber;
  let spoken: Int16Array;

  before(async () => {
    offlineSpeech = await createOfflineSpeech({}, log);
    assert.deepEqual(offlineSpeech.problems, []);
    assert(offlineSpeech.synthesizer && offlineSpeech.transcriber);
    ({ synthesizer, transcriber } = offlineSpeech);
    spoken = await record(synthesizer.speak(sentence, english, rate, never));
  });
  after(() => {
    offlineSpeech.close();
  });

  it('transcribes a sentence that it has spoken', async () => {
    const text = await transcriber.transcribe(spoken, rate, 'en', never);
    assert(wordErrors(sentence, text) <= 3, text);
  });

  it('speaks faster or slower', async () => {
    const slow = await record(synthesizer.speak(sentence, { ...english, speed: 0.5 }, rate, never));
    const fast = await record(synthesizer.speak(sentence, { ...english, speed: 2 }, rate, never));
    assert(fast.length < spoken.length * 0.7);
    assert(slow.length > spoken.length * 1.5);
  });

  it('speaks with a voice of the gender and accent of the assistant', async () => {
    const speak = (settings: Partial<SynthesisSettings>) =>
      record(synthesizer.speak(sentence, { ...english, ...settings }, rate, never));
    const man = await speak({ similarTo: { gender: 'male', accent: 'standard' } });
    assert(pitch(man, rate) < 0.8 * pitch(spoken, rate), `${pitch(man, rate)} Hz, ${pitch(spoken, rate)} Hz`);
    assertSame(await speak({ voice: 'rms' }), man);
    assertSame(
      await speak({ similarTo: { gender: 'male', accent: 'Scottish' } }),
      await speak({ voice: 'awb' }),
    );
    for (const gender of ['female', 'unknown']) {
      assertSame(await speak({ voice: 'Mira', similarTo: { gender, accent: 'standard' } }), spoken);
    }
  });

  it('speaks a long text in several chunks', async () => {
    const words = 'one two three four five six seven eight nine ten ';
    let count = 0;
    for await (const samples of synthesizer.speak(words.repeat(10), english, rate, never)) {
      if (samples.length > rate / 10) count += 1;
    }
    assert(count > 1, String(count));
  });

  it('does not block the event loop while it transcribes', async () => {
    const over = new AbortController();
    let turns = 0;
    const transcribing = transcriber.transcribe(spoken, rate, 'en', never).finally(() => {
      over.abort();
    });
    while (!over.signal.aborted) {
      await setImmediate();
      turns += 1;
    }
    await transcribing;
    assert(turns > 20, String(turns));
  });

  it('speaks while a transcription is in progress', async () => {
    const order: string[] = [];
    const long = Int16Array.from({ length: 5 * spoken.length }, (_, at) => spoken[at % spoken.length] ?? 0);
    const done = [
      transcriber.transcribe(long, rate, 'en', never),
      transcriber.transcribe(long, rate, 'en', never),
    ].map((transcribing) => transcribing.then(() => order.push('transcribed')));
    await record(synthesizer.speak('Yes.', english, rate, never));
    order.push('spoken');
    await Promise.all(done);
    assert.equal(order.indexOf('spoken'), 0, order.join(', '));
  });

  it('rejects when it is stopped', async () => {
    const stop = new AbortController();
    const transcribing = transcriber.transcribe(spoken, rate, 'en', stop.signal);
    stop.abort(new Error('stopped'));
    await assert.rejects(transcribing, { message: 'stopped' });
  });

  it('lists the languages that it does not understand', async () => {
    assert.equal(transcriber.problem?.('en'), undefined);
    assert.match(transcriber.problem?.('de') ?? '', /does not support the language de/);
    await assert.rejects(transcriber.transcribe(spoken, rate, 'de', never), /language de/);
  });

  for (const lineRate of [8000, 16_000, 48_000]) {
    it(`detects speech, but no noise, at ${lineRate} Hz`, async () => {
      const detector = offlineSpeech.createDetector?.(lineRate);
      assert(detector);
      const sound = await record(synthesizer.speak(sentence, english, lineRate, never));
      assert(shareOf(detector, sound) > 0.7);
      detector.detect(noise(lineRate, 3000));
      assert.equal(shareOf(detector, noise(2 * lineRate, 3000)), 0);
      detector.close?.();
    });
  }

  it('divides the audio of a line into utterances', () => {
    const turns = new TurnDetector(
      rate,
      { pause: 0.5, shortest: 0.12 },
      offlineSpeech.createDetector?.(rate),
    );
    assert.equal(turns.detect(noise(rate, 1000)), undefined);
    assert.equal(turns.detect(spoken.subarray(0, 2 * rate))?.type, 'speaking');
    const event = turns.detect(noise(rate * 2, 300));
    assert.equal(event?.type, 'ended');
    turns.close();
  });
});

const hasEspeak = spawnSync('espeak-ng', ['--version']).error === undefined;

describe('espeak-ng', { skip: !hasEspeak && 'the program is not installed' }, () => {
  /** Its own rate, so that nothing is resampled. */
  const espeakRate = 22_050;
  let offlineSpeech: OfflineSpeech;
  let synthesizer: Synthesizer;
  before(async () => {
    offlineSpeech = await createOfflineSpeech({}, log);
    assert(offlineSpeech.synthesizer);
    ({ synthesizer } = offlineSpeech);
  });
  after(() => {
    offlineSpeech.close();
  });

  /** The output of the program with these options. */
  async function expected(text: string, ...options: string[]): Promise<Int16Array> {
    const { stdout } = await promisify(execFile)('espeak-ng', [...options, '--stdout', text], {
      encoding: 'buffer',
    });
    // eslint-disable-next-line @typescript-eslint/require-await -- a stream, as of the program
    const wav = async function* () {
      yield stdout;
    };
    const parts: Int16Array[] = [];
    for await (const { samples } of decodeWav(wav())) parts.push(samples);
    return Int16Array.from(parts.flatMap((part) => Array.from(part)));
  }

  for (const [language, text, voice] of [
    ['de', 'Wir haben 21 Tulpen.', 'de'],
    ['pt', 'Temos 21 tulipas.', 'pt-br'],
    ['fr', 'Nous avons 21 tulipes.', 'fr-fr'],
    ['zh', '我们有 21 朵郁金香。', 'cmn'],
  ] as const) {
    it(`speaks the language ${language} with its voice ${voice}`, async () => {
      assert.equal(synthesizer.problem?.(language), undefined);
      const sound = await record(
        synthesizer.speak(text, { language, voice: undefined, speed: 1 }, espeakRate, never),
      );
      assert(sound.length > espeakRate);
      assertSame(sound, await expected(text, '-v', voice, '-s', '165'));
      assert(!isSame(sound, await expected(text, '-v', 'en-us', '-s', '165')));
    });
  }

  const german = 'Wir haben 21 Tulpen, und jeden Tag werden es mehr.';
  const speak = (text: string, language: string, settings: Partial<SynthesisSettings>) => {
    const all = { language, voice: undefined, speed: 1, ...settings };
    return record(synthesizer.speak(text, all, espeakRate, never));
  };

  it('speaks with a higher voice for a woman', async () => {
    const [man, woman] = await Promise.all(
      ['male', 'female'].map((gender) => speak(german, 'de', { similarTo: { gender, accent: 'standard' } })),
    );
    assert(man && woman);
    const [low, high] = [pitch(man, espeakRate), pitch(woman, espeakRate)];
    assert(high > 1.3 * low, `${low} Hz, ${high} Hz`);
    assertSame(woman, await expected(german, '-v', 'de+f3', '-s', '165'));
    assertSame(man, await expected(german, '-v', 'de', '-s', '165'));
  });

  for (const [title, language, settings, voice] of [
    ['a variant by its name', 'de', { voice: 'Annie' }, 'de+Annie'],
    ['a voice of the language', 'en', { voice: 'en-gb-scotland' }, 'en-gb-scotland'],
    ['a voice of the language in a variant', 'pt', { voice: 'pt+f2' }, 'pt+f2'],
    ['the accent', 'es', { similarTo: { gender: 'female', accent: 'Mexican' } }, 'es-419+f3'],
    ['the default voice instead of an unknown one', 'de', { voice: 'Mira' }, 'de'],
    ['the default voice instead of one of another language', 'de', { voice: 'fr-fr' }, 'de'],
    ['no option of the program', 'de', { voice: 'de+f3 --version' }, 'de'],
  ] as const) {
    it(`uses ${title}`, async () => {
      assertSame(
        await speak('Taxi 21.', language, settings),
        await expected('Taxi 21.', '-v', voice, '-s', '165'),
      );
    });
  }

  it('speaks in calls with the language and the speed of the assistant', async () => {
    const played: number[] = [];
    const peer = new MemoryPeer(espeakRate);
    peer.onPlayed = (frame = new Int16Array()) => void played.push(...frame);
    const line = new VoiceLine({
      ...{ peer, log, synthesizer, transcriber: { transcribe: () => Promise.resolve('') } },
      settings: { ...speechSettings, language: 'de', speed: 1.5 },
      control: { sendDigits: () => Promise.resolve(), end: () => Promise.resolve() },
    });
    async function* text() {
      yield await Promise.resolve('Wir haben 21 Tulpen.');
    }
    assert.equal((await line.say(text(), 60, never)).played, 'Wir haben 21 Tulpen.');
    assertSame(Int16Array.from(played), await expected('Wir haben 21 Tulpen.', '-v', 'de', '-s', '248'));
    line.close('connection');
  });

  it('reports a language that it does not speak', () => {
    assert.match(synthesizer.problem?.('xx') ?? '', /no voice for the language xx/);
  });
});

describe('the speech process', () => {
  it('restarts when it dies, and repeats its task', async () => {
    const models = new SpeechProcess();
    const task = { type: 'flite', text: sentence, voice: 'slt', speed: 1 } as const;
    let sounds = 0;
    const onResponse = () => {
      sounds += 1;
    };
    const first = models.run(task, onResponse, never);
    const { pid } = models;
    assert(pid !== undefined);
    process.kill(pid, 'SIGKILL');
    await first;
    assert.equal(sounds, 1);
    assert.notEqual(models.pid, pid);
    models.close();
  });

  it('ends if a task takes too long', async () => {
    const models = new SpeechProcess({ taskMs: 1 });
    const task = { type: 'transcribe', samples: new Int16Array(rate), rate, model: undefined } as const;
    await assert.rejects(
      models.run(task, () => undefined, never),
      { message: 'The speech process has ended.' },
    );
    models.close();
  });

  it('loads models once before a call, and again after it has died', async () => {
    const models = new SpeechProcess();
    const [transcriber, synthesizer] = [
      new OfflineTranscriber(models, [], true),
      new OfflineSynthesizer(models, { supplied: new Map(), hasFlite: true, espeak: undefined }),
    ];
    const warmUp = () => {
      transcriber.warmUp('en');
      synthesizer.warmUp(english);
      return models.isIdle;
    };
    assert.equal(warmUp(), false);
    const { pid } = models;
    assert(pid !== undefined);
    await eventually('both models', () => models.isIdle);
    assert.equal(warmUp(), true);
    process.kill(pid, 'SIGKILL');
    await eventually('the end', () => models.pid === undefined);
    assert.equal(warmUp(), false);
    models.close();
  });

  it('refuses tasks beyond its limit', async () => {
    const models = new SpeechProcess({ parallel: 1, waiting: 1 });
    const task = { type: 'flite', text: 'One.', voice: 'slt', speed: 1 } as const;
    const run = () => models.run(task, () => undefined, never);
    const accepted = [run(), run()];
    await assert.rejects(run(), { message: 'Too much speech is waiting to be converted.' });
    await Promise.all(accepted);
    models.close();
  });
});

describe('VOICE_MODEL_DIR', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'voices-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('reports a folder that cannot be read', async () => {
    const { problems, close } = await createOfflineSpeech({ voicesFolder: join(folder, 'none') }, log);
    assert.deepEqual(problems, [`VOICE_MODEL_DIR: the folder ${join(folder, 'none')} cannot be read.`]);
    close();
  });

  for (const [kind, files, expected] of [
    [
      'vits',
      ['de_DE-thorsten-medium.onnx', 'tokens.txt', 'espeak-ng-data/phontab'],
      { model: 'de_DE-thorsten-medium.onnx', tokens: 'tokens.txt', dataDir: 'espeak-ng-data', lexicon: '' },
    ],
    [
      'kokoro',
      [
        'model.onnx',
        'tokens.txt',
        'voices.bin',
        'espeak-ng-data/phontab',
        'lexicon-us-en.txt',
        'lexicon-zh.txt',
      ],
      {
        ...{ model: 'model.onnx', tokens: 'tokens.txt', dataDir: 'espeak-ng-data', voices: 'voices.bin' },
        lexicon: 'lexicon-us-en.txt,lexicon-zh.txt',
      },
    ],
    [
      'kitten',
      ['model.fp16.onnx', 'tokens.txt', 'voices.bin', 'espeak-ng-data/phontab'],
      { model: 'model.fp16.onnx', tokens: 'tokens.txt', dataDir: 'espeak-ng-data', voices: 'voices.bin' },
    ],
  ] as const) {
    it(`loads voices from a folder of the kind ${kind}`, async () => {
      const root = join(folder, kind);
      for (const file of files) {
        await mkdir(dirname(join(root, 'fr', file)), { recursive: true });
        await writeFile(join(root, 'fr', file), '');
      }
      const { voices, problems } = await readSuppliedVoices(root);
      assert.deepEqual(problems, []);
      const { model } = voices.get('fr')?.config as { model: Record<string, Record<string, string>> };
      const at = (names: string) =>
        names
          .split(',')
          .map((name) => (name === '' ? '' : join(root, 'fr', name)))
          .join(',');
      assert.deepEqual(
        model[kind],
        Object.fromEntries(Object.entries(expected).map(([name, files]) => [name, at(files)])),
      );
    });
  }

  it('reports the missing files of a voice', async () => {
    await mkdir(join(folder, 'de'));
    await writeFile(join(folder, 'de', 'model.onnx'), '');
    const { problems, close } = await createOfflineSpeech({ voicesFolder: folder }, log);
    assert.deepEqual(problems, ['VOICE_MODEL_DIR: the folder de needs a model (*.onnx) and its tokens.txt.']);
    close();
  });
});

describe('TRANSCRIPTION_MODEL_DIR', () => {
  let folder: string;
  let supplied: OfflineSpeech;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recognizers-'));
    await writeMoonshine(join(folder, 'real/de'));
    await writeMoonshine(join(folder, 'real/fr-es'));
    supplied = await createOfflineSpeech({ transcriptionModelsFolder: join(folder, 'real') }, log);
  });
  after(async () => {
    supplied.close();
    await rm(folder, { recursive: true });
  });

  it('transcribes the languages of its models, and English by the model of the package', async () => {
    const { transcriber, synthesizer, problems } = supplied;
    assert.deepEqual(problems, []);
    assert(transcriber && synthesizer);
    const spoken = await record(synthesizer.speak(sentence, english, rate, never));
    // The model understands English, whatever language its folder names.
    for (const language of ['de', 'es', 'en', undefined]) {
      assert.equal(language && transcriber.problem?.(language), undefined);
      const text = await transcriber.transcribe(spoken, rate, language, never);
      assert(wordErrors(sentence, text) <= 3, `${language}: ${text}`);
    }
    assert.match(
      transcriber.problem?.('it') ?? '',
      /does not support the language it.*TRANSCRIPTION_MODEL_DIR/,
    );
  });

  it('detects only languages of the same model', () => {
    const { transcriber } = supplied;
    const detected = [
      ['es', 'fr'],
      ['de', 'fr'],
      ['en', 'de'],
    ].map((all) => transcriber?.detects?.(all));
    assert.deepEqual(detected, [true, false, false]);
  });

  it('reports a model that cannot be loaded, and uses the others', async () => {
    const root = join(folder, 'broken');
    await writeMoonshine(join(root, 'de'));
    // sherpa-onnx ends its process with these files.
    await writeMoonshine(join(root, 'fr'), ['tiny-encoder.onnx', 'tiny-decoder.onnx', 'tiny-tokens.txt']);
    const { problems, transcriber, close } = await createOfflineSpeech(
      { transcriptionModelsFolder: root },
      log,
    );
    close();
    assert.deepEqual(problems, [
      'TRANSCRIPTION_MODEL_DIR: the model in the folder fr cannot be loaded as whisper. Its files must be of one model, as published for sherpa-onnx.',
    ]);
    assert.equal(transcriber?.problem?.('de'), undefined);
    assert.match(transcriber?.problem?.('fr') ?? '', /does not support the language fr/);
  });

  for (const [kind, languages, files, language, expected] of [
    [
      'whisper',
      'de-fr',
      ['base-encoder.onnx', 'base-encoder.int8.onnx', 'base-decoder.int8.onnx', 'base-tokens.txt'],
      'fr',
      {
        ...{
          encoder: 'base-encoder.int8.onnx',
          decoder: 'base-decoder.int8.onnx',
          tokens: 'base-tokens.txt',
        },
        ...{ language: 'fr', task: 'transcribe' },
      },
    ],
    [
      'moonshine',
      'ja',
      ['encoder_model.ort', 'decoder_model_merged.ort', 'tokens.txt'],
      'ja',
      { encoder: 'encoder_model.ort', mergedDecoder: 'decoder_model_merged.ort', tokens: 'tokens.txt' },
    ],
    [
      'transducer',
      'de-pl',
      ['encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt'],
      'pl',
      {
        ...{ encoder: 'encoder.int8.onnx', decoder: 'decoder.int8.onnx', joiner: 'joiner.int8.onnx' },
        tokens: 'tokens.txt',
      },
    ],
    [
      'senseVoice',
      'zh-ko',
      ['model.onnx', 'model.int8.onnx', 'tokens.txt'],
      undefined,
      { model: 'model.int8.onnx', language: '', useInverseTextNormalization: 1, tokens: 'tokens.txt' },
    ],
  ] as const) {
    it(`detects a model of the kind ${kind} by its files`, async () => {
      const root = join(folder, kind);
      await mkdir(join(root, languages), { recursive: true });
      for (const file of files) await writeFile(join(root, languages, file), '');
      const { recognizers, problems } = await readSuppliedRecognizers(root);
      assert.deepEqual(problems, []);
      assert.deepEqual(recognizers[0]?.languages, languages.split('-'));
      const { modelConfig } = recognizers[0].configFor(language) as {
        modelConfig: Record<string, Record<string, unknown>>;
      };
      const given: Record<string, unknown> = { ...modelConfig[kind], tokens: modelConfig['tokens'] };
      const names = Object.entries(given).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.replace(join(root, languages, '/'), '') : value,
      ]);
      assert.deepEqual(Object.fromEntries(names), expected);
    });
  }

  it('reports folders that it cannot use', async () => {
    const root = join(folder, 'wrong');
    await mkdir(join(root, 'de'), { recursive: true });
    await writeFile(join(root, 'de', 'model.onnx'), '');
    for (const name of ['german', 'fr-it', 'it']) await writeMoonshine(join(root, name));
    const { problems } = await readSuppliedRecognizers(root);
    assert.deepEqual(problems, [
      'TRANSCRIPTION_MODEL_DIR: the folder de needs the files of a Whisper, Moonshine, transducer or SenseVoice model, with its tokens.',
      'TRANSCRIPTION_MODEL_DIR: the folder german must be named by the two-letter codes of its languages, such as de or de-fr.',
      'TRANSCRIPTION_MODEL_DIR: the folder it has the language it, which another folder has.',
    ]);
    const none = join(folder, 'none');
    assert.deepEqual((await readSuppliedRecognizers(none)).problems, [
      `TRANSCRIPTION_MODEL_DIR: the folder ${none} cannot be read.`,
    ]);
    await mkdir(none);
    assert.match((await readSuppliedRecognizers(none)).problems.join(), /has no models/);
  });
});

/** Writes the model of the package, as published for sherpa-onnx or under other names. */
async function writeMoonshine(
  folder: string,
  names = ['encoder_model.onnx', 'decoder_model_merged.onnx', 'tokens.txt'],
): Promise<void> {
  const [encoder = '', decoder = '', tokens = ''] = names.map((name) => join(folder, name));
  await mkdir(folder, { recursive: true });
  await symlink(findModel('encoder') ?? '', encoder);
  await symlink(findModel('decoder') ?? '', decoder);
  await writeFile(tokens, await moonshineTokens());
}

async function record(sound: AsyncIterable<Int16Array>): Promise<Int16Array> {
  const chunks: Int16Array[] = [];
  for await (const samples of sound) chunks.push(samples);
  return Int16Array.from(chunks.flatMap((chunk) => Array.from(chunk)));
}

const isSame = (a: Int16Array, b: Int16Array) =>
  a.length === b.length && a.every((value, at) => value === b[at]);

/** Unlike `deepEqual`, does not describe the difference, which takes minutes for audio. */
function assertSame(actual: Int16Array, expected: Int16Array): void {
  assert(isSame(actual, expected), `${actual.length} samples differ from the expected ${expected.length}`);
}

/** The median fundamental frequency in hertz. Its period is the lag at which 40 ms correlate best with themselves. */
function pitch(samples: Int16Array, at: number): number {
  const length = Math.round(at * 0.04);
  const found: number[] = [];
  for (let start = 0; start + 2 * length < samples.length; start += length) {
    const frame = (from: number) => samples.subarray(start + from, start + from + length);
    const energy = product(frame(0), frame(0));
    if (energy / length < 1e6) continue;
    let best = { likeness: 0, period: 0 };
    for (let period = Math.round(at / 400); period < at / 60; period++) {
      const likeness = product(frame(0), frame(period)) / energy;
      // Twice the period correlates as well, so a longer lag must be clearly better.
      if (likeness > best.likeness * 1.05) best = { likeness, period };
    }
    if (best.likeness > 0.6) found.push(at / best.period);
  }
  return found.sort((a, b) => a - b)[found.length >> 1] ?? 0;
}

const product = (a: Int16Array, b: Int16Array) =>
  a.reduce((sum, sample, index) => sum + sample * (b[index] ?? 0), 0);

function shareOf(detector: SpeechDetector, samples: Int16Array): number {
  const frames = detector.detect(samples);
  return frames.filter((isSpeech) => isSpeech).length / frames.length;
}

/** White noise, the same in each run. */
function noise(length: number, amplitude: number): Int16Array {
  let seed = 1;
  return Int16Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.round((seed / 1_073_741_824 - 1) * amplitude);
  });
}
