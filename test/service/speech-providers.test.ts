import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, readConfig } from '../../src/service/config.ts';
import { encodeWav } from '../../src/service/voice/wav.ts';
import { MemoryVoice } from '../support/calls/memory-voice.ts';
import { said, visit } from '../support/calls/web-visitor.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { RealtimeEndpoint } from '../support/servers/realtime-endpoint.ts';
import { atEnd, newDatabase, startService } from '../support/service/service.ts';
import type { AssistantOptions } from '../support/service/service.ts';

/** A fake OpenAI-compatible server, with the voices that it was asked for, and understands always the same. */
async function startSpeech(understood: string) {
  const voices: unknown[] = [];
  const reported: { usage?: unknown } = {};
  const server = await startLoopbackServer(({ path, body }, response) => {
    if (path === '/audio/transcriptions') return { text: understood, ...reported };
    const { model, voice } = JSON.parse(body) as Record<string, unknown>;
    voices.push(`${String(model)}: ${String(voice)}`);
    response.setHeader('Content-Type', 'audio/wav');
    response.end(encodeWav(new Int16Array(800).fill(500), 16_000));
    return undefined;
  });
  atEnd(() => server.close());
  return { ...server, voices, reported };
}

const [warm, plain, deaf, sharp, talker] = ['warm', 'plain', 'deaf', 'sharp', 'talker'] as const;
const [standard, own] = [await startSpeech('By the default.'), await startSpeech('By its own.')];
const realtime = await RealtimeEndpoint.open();
atEnd(() => realtime.close());
const synthesizers = [
  {
    ...{ code: warm, name: 'Warm speech', baseUrl: own.url, apiKeyEnv: 'WARM_KEY', model: 'warm-1' },
    languages: ['en', 'de'],
    voices: ['ava', { code: 'ben', name: 'Ben', languages: ['en'], gender: 'male' }],
  },
  { code: plain, languages: ['en'], voices: ['rms'] },
];
const env = {
  // Of its own, since other tests list the catalog.
  ...(await newDatabase()),
  WARM_KEY: 'warm-key',
  REALTIME_KEY: realtime.key,
  SPEECH_MODELS: JSON.stringify(synthesizers),
  TRANSCRIPTION_MODELS: JSON.stringify([
    { code: sharp, baseUrl: own.url },
    { code: deaf, languages: ['de'] },
  ]),
  MODELS: JSON.stringify([
    {
      ...{ code: talker, type: 'multimodal', realtimeModel: 'talker-1', voices: ['marin'] },
      ...{ baseUrl: realtime.baseUrl, apiKeyEnv: 'REALTIME_KEY' },
    },
  ]),
};
const voice = new MemoryVoice();
const service = await startService(
  { ...env, SPEECH_BASE_URL: standard.url, SPEECH_MODEL: 'standard-1', SPEECH_VOICE: 'anna' },
  { voice },
);
const owner = await Owner.create(service);
const { database } = service.running;
const { pool } = database;

async function list(path: string) {
  return JSON.parse((await owner.get(`assistants/${path}`)).text) as Record<string, unknown>[];
}

async function idOf(table: 'providers' | 'voices' | 'models', name: string, provider = '%') {
  const { rows } = await pool.query<{ id: number }>(
    table === 'voices'
      ? `SELECT voices.id FROM voices JOIN providers ON providers.id = synthesizer_provider_id
         WHERE voices.code = $1 AND providers.code LIKE $2 AND language_id = 1`
      : `SELECT id FROM ${table} WHERE code = $1 AND $2 = '%'`,
    [name, provider],
  );
  return rows[0]?.id ?? assert.fail(`${name} is not stored`);
}

/** The voice of the latest session. */
const voiceOf = ({ settings }: RealtimeEndpoint) => settings?.audio?.output?.voice;

/** Lets a visitor say something to an assistant. */
async function talk(limits: NonNullable<AssistantOptions['limits']>, at = service) {
  standard.voices.length = own.voices.length = realtime.words.length = 0;
  const visitor = await visit({ service: at, voice, limits });
  assert.equal((await visitor.call()).status, 201);
  await said(voice.browser, 1);
  realtime.words.push('To the model.');
  voice.browser.say('Heard by the package.');
  await said(voice.browser, 2);
  await visitor.hangUp();
  return (await visitor.history()).find((line) => line.startsWith('user'));
}

describe('the providers of speech', () => {
  it('are listed with their languages and voices, once even after restarts', async () => {
    const changed = [{ ...synthesizers[0], name: 'Warmer speech', languages: ['en'] }];
    await startService({ ...env, SPEECH_MODELS: JSON.stringify(changed) }, { database });
    const listed = (await list('synthesizer-providers?language_id=1')).filter(
      (each) => each['code'] === warm,
    );
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['Warmer speech'],
    );
    const german = (await list('synthesizer-providers?language_id=2')).map((each) => each['code']);
    assert(!german.includes(warm));
    const id = listed[0]?.['id'];
    const voices = await list(`voices?language_id=1&synthesizer_provider_id=${String(id)}&mode=pipeline`);
    assert.deepEqual(
      voices.map(({ name, gender, age, accent }) => [name, gender, age, accent]),
      [
        ['ava', 'unknown', 'unknown', 'standard'],
        ['Ben', 'male', 'unknown', 'standard'],
      ],
    );
    const transcribers = (await list('transcriber-providers?language_id=1')).map((each) => each['code']);
    assert(transcribers.includes(sharp) && !transcribers.includes(deaf));
  });

  it('speak by the voice of an assistant, and transcribe by its choice', async () => {
    const heard = await talk({
      voiceId: await idOf('voices', 'ben', warm),
      transcriberProviderId: await idOf('providers', sharp),
    });
    assert.deepEqual(new Set(own.voices), new Set(['warm-1: ben']));
    assert.deepEqual(standard.voices, []);
    const [request] = own.requests.filter(({ path }) => path === '/audio/speech');
    assert.equal(request?.headers.authorization, 'Bearer warm-key');
    assert.equal(heard, 'user: By its own.');
  });

  it('come with the voice if an assistant names none', async () => {
    const { id } = await owner.create(
      'assistant',
      assistantBody({ voice_id: await idOf('voices', 'ben', warm) }),
    );
    const { rows } = await pool.query<{ synthesizer_provider_id: number }>(
      'SELECT synthesizer_provider_id FROM assistants WHERE id = $1',
      [id],
    );
    assert.equal(rows[0]?.synthesizer_provider_id, await idOf('providers', warm));
  });

  it('fall back to their first voice for a voice of another provider', async () => {
    await talk({ synthesizerProviderId: await idOf('providers', warm) });
    assert.deepEqual(new Set(own.voices), new Set(['warm-1: ava']));
  });

  it('are the default for an assistant without one', async () => {
    const heard = await talk({});
    assert.deepEqual(new Set(standard.voices), new Set(['standard-1: anna']));
    assert.deepEqual(own.voices, []);
    assert.equal(heard, 'user: By the default.');
  });

  it('use the default endpoint without an address of their own', async () => {
    await talk({ voiceId: await idOf('voices', 'rms', plain) });
    assert.deepEqual(new Set(standard.voices), new Set(['standard-1: rms']));
  });

  it('default to the voice package without an endpoint, with its voices', async () => {
    const at = await startService(env, { voice, database });
    const heard = await talk({ voiceId: await idOf('voices', 'rms', plain) }, at);
    assert.deepEqual(new Set(voice.speech.voices), new Set(['rms']));
    assert.equal(heard, 'user: Heard by the package.');
    await talk({}, at);
    assert.deepEqual(new Set(voice.speech.voices), new Set([undefined]));
  });

  it('transcribe unfinished speech unless the operator turns it off', async () => {
    const shows = async (at: typeof service) => {
      const visitor = await visit({ service: at, voice });
      await visitor.call();
      await said(voice.browser, 1);
      // The visitor speaks on.
      for (let part = 0; part < 20; part++) {
        voice.browser.receive(Int16Array.from({ length: 800 }, (_, at) => 8000 * Math.sin(at / 3)));
        await new Promise(setImmediate);
      }
      const before = standard.requests.length;
      voice.browser.receive(new Int16Array(16_000));
      await said(voice.browser, 2);
      await visitor.hangUp();
      return standard.requests.slice(0, before).at(-1)?.path === '/audio/transcriptions';
    };
    assert.equal(await shows(service), true);
    const off = { SPEECH_BASE_URL: standard.url, TRANSCRIPTION_PROVISIONAL: 'off' };
    assert.equal(await shows(await startService(off, { voice })), false);
  });

  it('report the usage of transcriptions to the owner, or else the duration of the audio', async () => {
    for (const [usage, tokens, isTimed] of [
      [{ type: 'tokens', input_tokens: 14, output_tokens: 5, total_tokens: 19 }, [14, 5], false],
      [{ type: 'duration', seconds: 3 }, [0, 0], true],
      [{ type: 'tokens', input_tokens: -1 }, [0, 0], true],
      [undefined, [0, 0], true],
    ] as const) {
      standard.reported.usage = usage;
      const before = standard.requests.filter(({ path }) => path === '/audio/transcriptions').length;
      const visitor = await visit({ service, voice });
      await visitor.call();
      await said(voice.browser, 1);
      voice.browser.say('Anything.');
      await said(voice.browser, 2);
      await visitor.hangUp();
      const count = standard.requests.filter(({ path }) => path === '/audio/transcriptions').length - before;
      const caller = await Owner.of(service, visitor.assistant.userId);
      const [row, ...others] = (await caller.get('model-usage')).json['data'] as Record<string, unknown>[];
      assert.deepEqual(others, []);
      const { model, replies, transcriptions, input_tokens, output_tokens, cost } = row ?? {};
      assert.deepEqual(
        { model, replies, transcriptions, tokens: [input_tokens, output_tokens], cost },
        {
          ...{ model: 'gpt-4o-mini-transcribe', replies: 0, transcriptions: count },
          ...{ tokens: tokens.map((each) => each * count), cost: null },
        },
      );
      assert.equal(Number(row?.['transcribed_seconds']) > 0, isTimed);
      if (usage?.type === 'duration') assert.equal(row?.['transcribed_seconds'], 3 * count);
    }
    delete standard.reported.usage;
  });

  it('leave a realtime model its own voices', async () => {
    const model = { mode: 'multimodal', multimodalModelId: await idOf('models', talker) } as const;
    await talk({ ...model, voiceId: await idOf('voices', 'marin', talker) });
    assert.equal(voiceOf(realtime), 'marin');
    // The model does not have this voice.
    await talk({ ...model, voiceId: 3 });
    assert.equal(voiceOf(realtime), undefined);
  });
});

for (const [setting, wrong, reason] of [
  ['SPEECH_MODELS', '[', /valid JSON/],
  ['SPEECH_MODELS', '[{"code":"a","voices":[""]}]', /list of providers: 0 voices 0/],
  ['SPEECH_MODELS', '[{"code":"a","voices":["x","x"]}]', /each code once/],
  ['SPEECH_MODELS', '[{"code":"a","languages":["english"]}]', /two-letter code/],
  ['SPEECH_MODELS', '[{"code":"a","apiKeyEnv":"NOT_SET"}]', /NOT_SET of a is not/],
  ['TRANSCRIPTION_MODELS', '[{"code":"a","voices":["x"]}]', /list of providers/],
  ['TRANSCRIPTION_MODELS', '/nowhere.json', /a file that holds one/],
  ['MODELS', '[{"code":"a","voices":["x"]}]', /voices only with realtimeModel/],
] as const) {
  it(`${setting} refuses ${wrong}`, () => {
    assert.throws(
      () => readConfig({ [setting]: wrong }),
      (error: Error) =>
        error instanceof ConfigError &&
        error.message.startsWith(`${setting} must`) &&
        reason.test(error.message),
    );
  });
}

it('SPEECH_MODELS refuses the code of a realtime model with voices', () => {
  const models = [{ code: 'a', type: 'multimodal', realtimeModel: 'r', apiKeyEnv: 'KEY', voices: ['x'] }];
  assert.throws(
    () => readConfig({ KEY: 'k', MODELS: JSON.stringify(models), SPEECH_MODELS: '[{"code":"a"}]' }),
    /^ConfigError: SPEECH_MODELS must have other codes than the realtime models in MODELS: a is one\.$/,
  );
});
