import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eq } from 'drizzle-orm';
import { calls } from '../../src/service/db/calls-table.ts';
import { assistants } from '../../src/service/db/schema.ts';
import { MemoryVoice } from '../support/calls/memory-voice.ts';
import { Owner } from '../support/records/owner.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { readStereoWav } from '../support/calls/stereo-wav.ts';
import { RealtimeEndpoint } from '../support/servers/realtime-endpoint.ts';
import { eventually } from '../support/eventually.ts';
import { until } from '../support/until.ts';
import { linesOf } from '../support/service/service-client.ts';
import { atEnd, createAssistant, readMoney, startService } from '../support/service/service.ts';
import type { TestService } from '../support/service/service.ts';

const endpoint = await RealtimeEndpoint.open();
atEnd(() => endpoint.close());
const server = { baseUrl: endpoint.baseUrl, apiKeyEnv: 'REALTIME_KEY', realtimeModel: 'kind-1' };
const voice = new MemoryVoice();
const env = {
  REALTIME_KEY: endpoint.key,
  MODELS: JSON.stringify([
    { code: 'kind', type: 'multimodal', ...server },
    { code: 'kind-voice', type: 'dualplex', ...server },
  ]),
};
const toolAnswers: Promise<unknown>[] = [];
const shop = await startLoopbackServer(() => toolAnswers.shift());
atEnd(() => shop.close());
const service = await startService({ ...env, ALLOW_PRIVATE_ADDRESSES: shop.address }, { voice });

/** Opens a conversation with an assistant that has a realtime model. */
async function open(
  mode: 'multimodal' | 'dualplex',
  code: string,
  { languageId = 1, at = service }: { languageId?: number; at?: TestService } = {},
) {
  voice.reset();
  const assistant = await createAssistant(at, {
    balance: '1',
    initialMessage: 'Welcome to the shop.',
    limits: { webCalls: true, record: true, mode, languageId },
  });
  await at.running.database.pool.query(
    'UPDATE assistants SET multimodal_model_id = (SELECT id FROM models WHERE code = $1) WHERE uuid = $2',
    [code, assistant.uuid],
  );
  return { assistant, path: `/api/conversations/${await at.open(assistant.uuid)}` };
}

/** Calls an assistant with a realtime model. */
async function call(mode: 'multimodal' | 'dualplex', code: string) {
  const { assistant, path } = await open(mode, code);
  const { status } = await service.post(`${path}/voice`, { sdp: 'v=0 offer' });
  assert.equal(status, 201);
  const { browser } = voice;
  await browser.waitFor('response.done');
  endpoint.words.push('Do you sell tulips?');
  browser.say('Do you sell tulips?');
  await browser.waitFor('response.done', 2);
  await service.request('DELETE', `${path}/voice`);
  return { browser, assistant, history: linesOf((await service.get(path)).json['history']) };
}

/** Whether the recording of the only call of an owner has sound of each side. */
async function isRecorded(userId: number) {
  const { rows } = await service.running.database.pool.query<{ token: string }>(
    'SELECT recording_token AS token FROM calls WHERE user_id = $1',
    [userId],
  );
  const file = await fetch(`${service.url}/api/recordings/${String(rows[0]?.token)}`);
  const { left, right } = readStereoWav(Buffer.from(await file.arrayBuffer()));
  return [left, right].map((side) => side.some((sample) => sample !== 0));
}

const transcript = [
  'assistant: Welcome to the shop.',
  'user: Do you sell tulips?',
  'assistant: You said: Do you sell tulips?',
  'system: The call has ended.',
];

describe('a web call with a realtime model', () => {
  it('is answered by the model, and stored in the conversation', async () => {
    const { history, assistant, browser } = await call('multimodal', 'kind');
    assert.deepEqual(history, transcript);
    assert.deepEqual(voice.speech.spoken, []);
    assert.ok(browser.played > 0);
    assert.match(endpoint.settings?.instructions ?? '', /read aloud/);
    // Multimodal minutes cost 0.10 USD.
    assert.deepEqual(await readMoney(service, assistant.userId), { balance: 0.9, ledger: 0.9 });
    assert.deepEqual(await isRecorded(assistant.userId), [true, true]);
  });

  it('removes a noise that the model does not transcribe, and assigns later words to their own item', async () => {
    const { path } = await open('multimodal', 'kind');
    await service.post(`${path}/voice`, { sdp: 'v=0 offer' });
    const { browser } = voice;
    await browser.waitFor('response.done');
    endpoint.transcribing = new Promise(() => undefined);
    endpoint.words.push('');
    browser.say('');
    await browser.waitFor('input_audio_buffer.speech_stopped');
    endpoint.transcribing = undefined;
    // Longer than the service waits for a transcript.
    browser.receive(new Int16Array(6 * browser.rate));
    endpoint.words.push('Do you sell tulips?');
    browser.say('Do you sell tulips?');
    await browser.waitFor('response.done', 2);
    const items = browser.find('input_audio_buffer.speech_started').map(({ item_id }) => item_id);
    const transcripts = browser
      .find('conversation.item.input_audio_transcription.completed')
      .map(({ item_id, transcript }) => [item_id, transcript]);
    assert.deepEqual(transcripts, [
      [items[0], ''],
      [items[1], 'Do you sell tulips?'],
    ]);
    await service.request('DELETE', `${path}/voice`);
  });

  it('stores the result of a tool if the visitor hangs up while the tool runs', async () => {
    const { assistant, path } = await open('multimodal', 'kind');
    const owner = await Owner.of(service, assistant.userId);
    const tool = { name: 'book', description: 'Books a table.', method: 'POST', timeout: 30 };
    const stored = await owner.create('tools', { ...tool, endpoint: `${shop.url}/book` });
    const { db } = service.running.database;
    await db
      .update(assistants)
      .set({ toolIds: [stored.id] })
      .where(eq(assistants.id, assistant.id));
    const booked = Promise.withResolvers<unknown>();
    toolAnswers.push(booked.promise);
    await service.post(`${path}/voice`, { sdp: 'v=0 offer' });
    const { browser } = voice;
    await browser.waitFor('response.done');
    const { answer } = endpoint;
    endpoint.answer = () => ({ call: { name: 'book', arguments: {} } });
    endpoint.words.push('Book me a table.');
    browser.say('Book me a table.');
    await until(() => shop.requests.length === 1);
    endpoint.answer = answer;
    await service.request('DELETE', `${path}/voice`);
    booked.resolve({ table: 7 });
    const [call] = await eventually('the end of the call', async () => {
      const ended = await db.select().from(calls).where(eq(calls.userId, assistant.userId));
      return ended[0]?.status === 'in-progress' ? undefined : ended;
    });
    assert.deepEqual(
      call?.messages.map(({ content, functionCalls = [] }) => [content, ...functionCalls]),
      [
        ['Welcome to the shop.'],
        ['Book me a table.'],
        ['', { name: 'book', arguments: {}, result: { table: 7 } }],
      ],
    );
  });

  it('reports its token usage to the owner', async () => {
    const { assistant } = await call('multimodal', 'kind');
    const owner = await Owner.of(service, assistant.userId);
    // The greeting and an answer, and what the visitor said.
    const isOf = {
      assistant_id: assistant.uuid,
      assistant_name: 'Test assistant',
      evaluations: 0,
      cost: null,
    };
    const ofReplies = {
      model: 'kind-1',
      replies: 2,
      transcriptions: 0,
      input_tokens: 400,
      output_tokens: 60,
    };
    const ofWords = { replies: 0, transcriptions: 1, input_tokens: 14, output_tokens: 5 };
    assert.deepEqual((await owner.get('model-usage')).json['data'], [
      { ...isOf, ...ofReplies, transcribed_seconds: 0 },
      { ...isOf, ...ofWords, model: 'gpt-4o-mini-transcribe', transcribed_seconds: 0 },
    ]);
  });

  it('speaks with a separate voice in the mode dualplex', async () => {
    const { history, assistant } = await call('dualplex', 'kind-voice');
    assert.deepEqual(history, transcript);
    assert.deepEqual(voice.speech.spoken, ['Welcome to the shop.', 'You said: Do you sell tulips?']);
    assert.deepEqual(await readMoney(service, assistant.userId), { balance: 0.88, ledger: 0.88 });
    assert.deepEqual(await isRecorded(assistant.userId), [true, true]);
  });

  it('needs no speech providers of the service if the model speaks', async () => {
    const { media } = voice;
    const silent = { synthesizer: undefined, transcriber: undefined, problems: ['No speech.'] };
    const at = await startService(env, { voice: { media, ...silent, close: () => voice.close() } });
    const { path } = await open('multimodal', 'kind', { at });
    assert.equal((await at.get(`${path}/voice`)).status, 200);
    const other = await open('dualplex', 'kind-voice', { at });
    const { status, json } = await at.get(`${other.path}/voice`);
    assert.deepEqual([status, json['error']], [503, 'Voice is not available: No speech.']);
  });

  it('supports a language that the service does not speak if the model speaks', async () => {
    const { path } = await open('multimodal', 'kind', { languageId: 2 });
    assert.equal((await service.get(`${path}/voice`)).status, 200);
    const other = await open('dualplex', 'kind-voice', { languageId: 2 });
    assert.equal((await service.get(`${other.path}/voice`)).status, 503);
  });
});
