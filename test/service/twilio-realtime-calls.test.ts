import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { MemoryVoice } from '../support/calls/memory-voice.ts';
import { RealtimeEndpoint } from '../support/servers/realtime-endpoint.ts';
import { atEnd, newDatabase, readMoney, startService } from '../support/service/service.ts';
import { twilioSettings, FakeTwilio } from '../support/twilio/fake-twilio.ts';
import type { FakeTwilioCall } from '../support/twilio/fake-twilio-call.ts';
import { streamRate } from '../support/twilio/fake-stream.ts';
import { eventually } from '../support/eventually.ts';
import { energyAt, tone } from '../support/voice/tone.ts';

/*
 * Whole calls whose customer talks to a realtime model: the real service, with a fake carrier and a fake model.
 */
const own = '+493012345678';
const desk = '+493055555555';
const twilio = await FakeTwilio.start();
twilio.own(own);
atEnd(() => twilio.close());
const endpoint = await RealtimeEndpoint.open();
atEnd(() => endpoint.close());
const server = { baseUrl: endpoint.baseUrl, apiKeyEnv: 'REALTIME_KEY', realtimeModel: 'kind-1' };
const logged: string[] = [];
const service = await startService(
  {
    ...(await newDatabase()),
    ...twilioSettings(twilio),
    TWILIO_PHONE_NUMBER: own,
    WORKERS: 'on',
    JOB_POLL_SECONDS: '0.5',
    REALTIME_KEY: endpoint.key,
    MODELS: JSON.stringify([
      { code: 'kind', type: 'multimodal', ...server },
      { code: 'kind-voice', type: 'dualplex', ...server },
    ]),
  },
  { voice: new MemoryVoice(), log: pino({}, { write: (line: string) => void logged.push(line) }) },
);
twilio.reach(service.url);
const owner = await Owner.create(service, '10');
let dialed = 0;

/** Has an assistant with a realtime model call a new customer, who answers. */
async function answered({ code = 'kind', ...fields }: Record<string, unknown> = {}) {
  dialed += 1;
  const to = `+49308765${String(5000 + dialed)}`;
  const assistant = await owner.create(
    'assistant',
    assistantBody({ initial_message: 'Hello, this is Kim.', post_call_evaluation: false, ...fields }),
  );
  await service.running.database.pool.query(
    `UPDATE assistants SET multimodal_model_id = models.id, mode = $1 FROM models
     WHERE code = $2 AND assistants.id = $3`,
    [code === 'kind-voice' ? 'dualplex' : 'multimodal', code, assistant.id],
  );
  const { json } = await owner.post('make_call', { phone_number: to, assistant_id: assistant.id });
  const call = await twilio.call(to);
  await call.ring();
  await call.answer();
  return { id: Number(json['call_id']), call };
}

/** The call of {@link answered}, and its audio. */
async function streamed(fields: Record<string, unknown> = {}) {
  const { id, call } = await answered(fields);
  return { id, call, stream: await call.streamed() };
}

const read = async (id: number) => (await owner.get(`calls/${String(id)}`)).json;

const until = (id: number, what: string, matches: (record: Record<string, unknown>) => boolean) =>
  eventually(
    () => `${what} of call ${String(id)}`,
    async () => {
      const record = await read(id);
      return matches(record) ? record : undefined;
    },
  );
const transcribed = (id: number, text: string) =>
  until(id, text, ({ transcript }) => String(transcript).includes(text));
const ended = (id: number) =>
  until(id, 'the end', ({ status }) => !['initiated', 'ringing', 'in-progress'].includes(String(status)));

/** Asserts that neither side has violated the protocol. */
function assertNoViolations(call: FakeTwilioCall): void {
  assert.deepEqual([call.problems, call.streams.flatMap(({ problems }) => problems)], [[], []]);
}

/** A sound of the customer that the fake model transcribes as these words. */
function words(text: string): Int16Array {
  endpoint.words.push(text);
  return tone(700, 0.5, streamRate);
}

describe('a call with Twilio whose assistant has a realtime model', () => {
  test('is spoken by the model, transcribed and charged', async () => {
    const { id, call, stream } = await streamed();
    // The fake model speaks 0.2 seconds a word.
    await stream.hears(0.75);
    await transcribed(id, 'AI: Hello, this is Kim.');
    stream.say(words('Do you sell tulips?'));
    await transcribed(id, 'AI: You said: Do you sell tulips?');
    assert(energyAt(300, stream.heard, streamRate) > energyAt(700, stream.heard, streamRate));
    await call.hangUp();
    const record = await ended(id);
    assert.equal(record['status'], 'completed');
    assert.equal(
      record['transcript'],
      'AI: Hello, this is Kim.\nCustomer: Do you sell tulips?\nAI: You said: Do you sell tulips?',
    );
    assert.equal(record['total_cost'], 0.15);
    const { balance, ledger } = await readMoney(service, owner.id);
    assert.equal(ledger, balance);
    assertNoViolations(call);
  });

  test('stops when the customer interrupts, and keeps the words that were heard', async () => {
    const { id, call, stream } = await streamed({
      initial_message: 'We have tulips and roses and lilies and many more flowers in the garden today.',
    });
    // Five words. The report that the last of them have been played may still be on its way.
    await stream.hears(1);
    stream.say(words('Stop.'));
    const { transcript } = await transcribed(id, 'AI: You said: Stop.');
    assert.match(String(transcript), /^AI: We have/);
    assert.doesNotMatch(String(transcript), /garden today/);
    assert(stream.clears > 0);
    await call.hangUp();
    await ended(id);
    assertNoViolations(call);
  });

  test('is spoken by the synthesizer of the service in the mode dualplex', async () => {
    const { id, call, stream } = await streamed({ code: 'kind-voice' });
    await transcribed(id, 'AI: Hello, this is Kim.');
    stream.say(words('Do you sell tulips?'));
    const { transcript } = await transcribed(id, 'AI: You said: Do you sell tulips?');
    assert.equal(String(transcript).split('\n').length, 3);
    assert.equal(endpoint.settings?.output_modalities?.[0], 'text');
    assert.deepEqual([stream.problems, stream.heard.some((sample) => sample > 1000)], [[], true]);
    await call.hangUp();
    assert.equal((await ended(id))['total_cost'], 0.17);
    assertNoViolations(call);
  });

  test('passes pressed keys to the model, and ends when the model hangs up', async () => {
    const { id, call, stream } = await streamed({
      tools: [{ type: 'end_call', description: 'At the end.' }],
    });
    await transcribed(id, 'AI: Hello, this is Kim.');
    stream.press('1');
    stream.press('#');
    await transcribed(id, 'AI: You said: [pressed 1#]');
    const { answer } = endpoint;
    endpoint.answer = () => ({ call: { name: 'end_call', arguments: {} } });
    stream.say(words('Goodbye.'));
    await call.over();
    endpoint.answer = answer;
    assert.equal((await ended(id))['status'], 'ended_by_assistant');
    assertNoViolations(call);
  });

  test('sends all keys before it hangs up, although the process is busy meanwhile', async () => {
    const { id, call, stream } = await streamed({
      tools: [
        { type: 'dtmf_input', description: 'To choose.' },
        { type: 'end_call', description: 'At the end.' },
      ],
    });
    await transcribed(id, 'AI: Hello, this is Kim.');
    const { answer } = endpoint;
    const toCall = [
      { name: 'dtmf_input', arguments: { digits: '1111111110' } },
      { name: 'end_call', arguments: {} },
    ];
    endpoint.answer = (question) => {
      const next = toCall.shift();
      return next ? { call: next } : answer(question);
    };
    stream.say(words('Press all keys and hang up.'));
    await eventually(
      'the first key',
      () => energyAt(1209, stream.heard.subarray(-0.1 * streamRate), streamRate) > 0.2,
    );
    // A busy process: the frames that are due meanwhile are sent later.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
    await call.over();
    endpoint.answer = answer;
    // The tones of the last key are 941 and 1336 Hz.
    const last = stream.heard.subarray(-0.3 * streamRate);
    assert(energyAt(941, last, streamRate) > 0.05 && energyAt(1336, last, streamRate) > 0.05);
    await ended(id);
    assertNoViolations(call);
  });

  test('stays connected while the request to end it is pending', async () => {
    const { id, call, stream } = await streamed({
      tools: [{ type: 'end_call', description: 'At the end.' }],
    });
    await transcribed(id, 'AI: Hello, this is Kim.');
    const { answer } = endpoint;
    endpoint.answer = () => ({ call: { name: 'end_call', arguments: {} } });
    // Longer than the service waits for the carrier to close the connection afterwards.
    twilio.hangUpMs = 6000;
    stream.say(words('Goodbye.'));
    await call.over(20_000);
    twilio.hangUpMs = 0;
    endpoint.answer = answer;
    assert.equal(call.streams.length, 1);
    assert.equal((await ended(id))['status'], 'ended_by_assistant');
    assertNoViolations(call);
  });

  test('transfers the customer, and continues if nobody answers', async () => {
    const { id, call, stream } = await streamed({
      tools: [{ type: 'call_transfer', description: 'For a person.', phone_number: desk }],
    });
    await transcribed(id, 'AI: Hello, this is Kim.');
    const { answer } = endpoint;
    let isCalled = false;
    endpoint.answer = (question) => {
      if (isCalled) return answer(question);
      isCalled = true;
      return { call: { name: 'call_transfer', arguments: {} } };
    };
    stream.say(words('A person, please.'));
    const transfer = await eventually(
      () => `the transfer; problems: ${call.problems.join('; ')}`,
      () => call.transfer,
    );
    endpoint.answer = answer;
    assert.equal(transfer.to, desk);
    await call.endTransfer('no-answer');
    const items = endpoint.received.length;
    const back = await call.streamed(2);
    await back.hears(0.2);
    // Otherwise, the model would transfer the customer again.
    const sent = endpoint.received.slice(items).flatMap((event) => ('item' in event ? [event.item] : []));
    assert(sent.some((item) => item.type === 'function_call' && item.name === 'call_transfer'));
    back.say(words('Never mind.'));
    await transcribed(id, 'AI: You said: Never mind.');
    await call.hangUp();
    await ended(id);
    assertNoViolations(call);
  });

  for (const lost of ['carrier', 'model'] as const)
    test(`continues on a new connection after that to the ${lost} was lost`, async () => {
      const { id, call, stream } = await streamed();
      await transcribed(id, 'AI: Hello, this is Kim.');
      if (lost === 'model') endpoint.drop();
      else stream.drop();
      const second = await call.streamed(2);
      await second.hears(0.2);
      second.say(words('Are you there?'));
      await transcribed(id, 'AI: You said: Are you there?');
      await call.hangUp();
      assert.equal((await ended(id))['status'], 'completed');
      assertNoViolations(call);
    });

  test('is not ended by a connection that has lost the call', async () => {
    const { id, call, stream } = await streamed();
    await transcribed(id, 'AI: Hello, this is Kim.');
    await service.running.database.pool.query(
      'UPDATE calls SET lease_owner = gen_random_uuid() WHERE id = $1',
      [id],
    );
    stream.say(words('Do you sell tulips?'));
    // The connection closes, and the fake carrier asks for the next step.
    const second = await call.streamed(2);
    await second.hears(0.2);
    await call.hangUp();
    assert.equal((await ended(id))['status'], 'ended_by_customer');
    assertNoViolations(call);
  });

  test('is connected to the relay if its model is not configured, and costs as much as in pipeline', async () => {
    // A model of the catalog that MODELS does not contain.
    const { rows } = await service.running.database.pool.query<{ code: string }>(
      "SELECT code FROM models WHERE type = 'multimodal' AND code <> 'kind' LIMIT 1",
    );
    const { call, id } = await answered({ code: rows[0]?.code });
    await call.connected();
    assert.equal(call.streams.length, 0);
    await transcribed(id, 'AI: Hello, this is Kim.');
    await call.hangUp();
    assert.equal((await ended(id))['total_cost'], 0.1);
  });

  test('is answered, limited and charged if it comes in', async () => {
    const { pool } = service.running.database;
    const { rows } = await pool.query<{ id: number }>(
      `INSERT INTO phone_numbers (user_id, phone_number, country_code, region, price)
       VALUES ($1, $2, 'DE', 'Berlin', 0) RETURNING id`,
      [owner.id, own],
    );
    const assistant = await owner.create(
      'assistant',
      assistantBody({ type: 'inbound', phone_number_id: rows[0]?.id, max_duration: 300 }),
    );
    await owner.put(`assistant/${String(assistant.id)}`, { status: 'active' });
    await pool.query(
      `UPDATE assistants SET multimodal_model_id = models.id, mode = 'multimodal' FROM models
       WHERE code = 'kind' AND assistants.id = $1`,
      [assistant.id],
    );
    const number = twilio.numbers.find(({ phoneNumber }) => phoneNumber === own);
    assert(number);
    number.voiceUrl = `${twilioSettings(twilio).PUBLIC_URL}/api/carrier/twilio/incoming`;
    const call = await twilio.receiveCall('+4917012345678', own);
    const stream = await call.streamed();
    await stream.hears(0.2);
    await eventually(
      () => 'the time limit',
      () => (call.timeLimit === '330' ? true : undefined),
    );
    await call.hangUp();
    const { json } = await owner.get('calls?type=inbound');
    const [first] = json['data'] as { id: number }[];
    const record = await ended(first?.id ?? 0);
    assert.deepEqual([record['answered_by'], record['total_cost']], ['human', 0.15]);
    assertNoViolations(call);
  });

  test('sends keys as tones', async () => {
    const { id, call, stream } = await streamed({
      tools: [{ type: 'dtmf_input', description: 'For menus.' }],
    });
    await transcribed(id, 'AI: Hello, this is Kim.');
    const { answer } = endpoint;
    let isCalled = false;
    endpoint.answer = (question) => {
      if (isCalled) return answer(question);
      isCalled = true;
      return { call: { name: 'dtmf_input', arguments: { digits: '5' } } };
    };
    const before = stream.heard.length;
    stream.say(words('Press five.'));
    await eventually(
      () => 'the tones of the key',
      () => (energyAt(1336, stream.heard.subarray(before), streamRate) > 0.01 ? true : undefined),
    );
    endpoint.answer = answer;
    await call.hangUp();
    await ended(id);
    assertNoViolations(call);
  });

  const open = async (headers: Record<string, string>) => {
    const socket = new WebSocket(`${service.url.replace(/^http/, 'ws')}/api/carrier/twilio/stream`, {
      headers,
    });
    await once(socket, 'open');
    return socket;
  };

  test('is refused if the carrier has not signed its connection', async () => {
    await assert.rejects(open({}), /403/);
    await assert.rejects(open({ 'X-Twilio-Signature': 'c2lnbmF0dXJl' }), /403/);
  });

  test('is refused with the secret of another call', async () => {
    const { id, call } = await streamed();
    const { headers } = twilio.address(
      `${twilioSettings(twilio).PUBLIC_URL.replace(/^http/, 'ws')}/api/carrier/twilio/stream`,
    );
    const socket = await open(headers);
    const customParameters = { callId: String(id), token: 'guess', connectToken: 'guess', maxDuration: '60' };
    const start = { callSid: call.sid, customParameters };
    socket.send(JSON.stringify({ event: 'start', streamSid: 'MZ1', start }));
    const [code] = (await once(socket, 'close')) as [number];
    assert.equal(code, 1008);
    await call.hangUp();
    await ended(id);
  });

  test('logs neither the key of the model nor the secrets of calls', () => {
    assert.equal(
      logged.some((line) => line.includes(endpoint.key)),
      false,
    );
  });
});
