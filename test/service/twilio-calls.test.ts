import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { assistantBody } from '../support/records/assistant-body.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { Owner } from '../support/records/owner.ts';
import { atEnd, newDatabase, readMoney, startService, testDatabase } from '../support/service/service.ts';
import { startServiceProcess } from '../support/service/service-process.ts';
import { credentials, twilioSettings, FakeTwilio } from '../support/twilio/fake-twilio.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeTwilioCall } from '../support/twilio/fake-twilio-call.ts';

/*
 * Whole calls: the real service, its database and its model client, with the fake carrier.
 */
const own = '+493012345678';
const twilio = await FakeTwilio.start();
twilio.own(own);
const model = await startModelServer();
const env = {
  ...(await newDatabase()),
  ...twilioSettings(twilio),
  TWILIO_PHONE_NUMBER: own,
  WORKERS: 'on',
  JOB_POLL_SECONDS: '0.5',
  LLM_BASE_URL: model.url,
  LLM_API_KEY: 'sk-test',
};
const logged: string[] = [];
const log = pino({}, { write: (line: string) => void logged.push(line) });
const service = await startService(env, { log });
twilio.reach(service.url);
atEnd(() => twilio.close());
atEnd(() => model.close());
const owner = await Owner.create(service, '10');

let dialed = 0;

/** Has an assistant call a new customer; the call has not rung yet. */
async function dial(fields: Record<string, unknown> = {}) {
  dialed += 1;
  const to = `+49308765${String(4000 + dialed)}`;
  const assistant = await owner.create(
    'assistant',
    assistantBody({ initial_message: 'Hello, this is Kim.', post_call_evaluation: false, ...fields }),
  );
  const { json } = await owner.post('make_call', { phone_number: to, assistant_id: assistant.id });
  const id = Number(json['call_id']);
  return { id, call: await twilio.call(to) };
}

async function answered(fields: Record<string, unknown> = {}) {
  const { id, call } = await dial(fields);
  await call.ring();
  await call.answer();
  const relay = await call.connected();
  return { id, call, relay };
}

const read = async (id: number, from = owner) => (await from.get(`calls/${String(id)}`)).json;

const transcribed = (id: number, text: string) =>
  eventually(
    () => `the transcript to contain ${text}`,
    async () => (String((await read(id))['transcript']).includes(text) ? true : undefined),
  );

const ended = (id: number, from = owner) =>
  eventually(
    () => `the end of call ${String(id)}`,
    async () => {
      const record = await read(id, from);
      return ['initiated', 'ringing', 'in-progress'].includes(String(record['status'])) ? undefined : record;
    },
  );

/** Asserts that neither side has violated the protocol. */
function assertNoViolations(call: FakeTwilioCall): void {
  assert.deepEqual([call.problems, call.relays.flatMap(({ problems }) => problems)], [[], []]);
}

describe('a call with Twilio', () => {
  test('rings, greets, answers, and ends when the customer hangs up', async () => {
    model.behave({ chunks: ['We open ', 'at nine. ', 'Anything else?'] });
    const { id, call } = await dial();
    await call.ring();
    await eventually(
      () => 'ringing',
      async () => ((await read(id))['status'] === 'ringing' ? true : undefined),
    );
    await call.answer();
    const relay = await call.connected();
    await call.identify('human');
    await relay.hears('Hello, this is Kim.');
    relay.say('When do you open?');
    await relay.hears('We open at nine. Anything else?');
    await transcribed(id, 'Anything else?');
    await call.hangUp();

    const record = await ended(id);
    assert.deepEqual([record['status'], record['answered_by']], ['completed', 'human']);
    assert.equal(
      record['transcript'],
      'AI: Hello, this is Kim.\nCustomer: When do you open?\nAI: We open at nine. Anything else?',
    );
    assert.equal(record['total_cost'], 0.1);
    const { balance, ledger } = await readMoney(service, owner.id);
    assert.equal(ledger, balance);
    assertNoViolations(call);
  });

  test('stores the part of an answer that was heard before an interruption', async () => {
    const { id, call, relay } = await answered();
    await relay.hears('Hello, this is Kim.');
    relay.speaking = { mode: 'by-hand', reports: true };
    model.behave({ chunks: ['We have a garden, ', 'a terrace, ', 'and a lake.'] });
    relay.say('Tell me about it.');
    await relay.receives('the end of the answer', (frame) => 'token' in frame && /lake/.test(frame.token));
    relay.play('We have a garden, ');
    model.behave({ chunks: ['Forty euros.'] });
    relay.interrupt('We have a garden,');
    relay.speaking = { mode: 'at-once', reports: true };
    relay.say('What does it cost?');
    await relay.hears('Forty euros.');
    await eventually(
      () => 'the last answer in the transcript',
      async () => (/Forty euros/.test(String((await read(id))['transcript'])) ? true : undefined),
    );
    await call.hangUp();
    const { transcript } = await ended(id);
    assert.match(
      String(transcript),
      /AI: We have a garden,\nCustomer: What does it cost\?\nAI: Forty euros\./,
    );
    assertNoViolations(call);
  });

  test('is completed and charged if its connection is lost after Twilio has reported its end', async () => {
    model.behave({ chunks: ['At nine.'] });
    const { id, call, relay } = await answered();
    await relay.hears('Hello, this is Kim.');
    relay.say('When do you open?');
    await relay.hears('At nine.');
    await transcribed(id, 'At nine.');
    await call.vanish();
    const record = await ended(id);
    assert.deepEqual([record['status'], record['duration'], record['total_cost']], ['completed', 42, 0.1]);
    assertNoViolations(call);
  });

  test('is charged and transcribed if the report of its answer is lost', async () => {
    model.behave({ chunks: ['At nine.'] });
    const { id, call } = await dial();
    await call.answer({ isReported: false });
    const relay = await call.connected();
    await relay.hears('Hello, this is Kim.');
    relay.say('When do you open?');
    await relay.hears('At nine.');
    await transcribed(id, 'At nine.');
    assert.equal((await read(id))['status'], 'in-progress');
    await call.hangUp();
    const record = await ended(id);
    assert.deepEqual([record['status'], record['total_cost']], ['completed', 0.1]);
    assert.equal(record['transcript'], 'AI: Hello, this is Kim.\nCustomer: When do you open?\nAI: At nine.');
    assertNoViolations(call);
  });

  test('passes pressed keys to the assistant, and hangs up after its last words', async () => {
    const { id, call, relay } = await answered({
      tools: [{ type: 'end_call', description: 'At the end.' }],
    });
    await relay.hears('Hello, this is Kim.');
    model.behave({ calls: [{ name: 'end_call', arguments: {} }], chunks: ['Thank you, goodbye!'] });
    relay.press('1');
    relay.press('#');
    await relay.hears('Thank you, goodbye!');
    await call.over();
    const record = await ended(id);
    assert.equal(record['status'], 'ended_by_assistant');
    assert.match(String(record['transcript']), /Customer: \[pressed 1#\]\nAI: Thank you, goodbye!/);
    assertNoViolations(call);
  });

  test('leaves a voicemail message if a machine is detected during the call', async () => {
    const { id, call, relay } = await answered({ voice_mail_message: 'Please call back.' });
    await relay.hears('Hello, this is Kim.');
    await call.identify('machine_end_beep');
    await relay.hears('Please call back.');
    await call.over();
    const record = await ended(id);
    assert.deepEqual([record['status'], record['answered_by']], ['completed', 'machine']);
  });

  for (const [status, expected] of [
    ['busy', 'busy'],
    ['no-answer', 'no-answer'],
    ['failed', 'failed'],
    ['canceled', 'no-answer'],
  ] as const) {
    test(`ends as ${expected} free of charge if Twilio reports ${status}`, async () => {
      const { id, call } = await dial();
      await call.end(status);
      const record = await ended(id);
      assert.deepEqual([record['status'], record['total_cost']], [expected, 0]);
      // A late report changes nothing.
      await call.report('ringing');
      assert.equal((await read(id))['status'], expected);
    });
  }

  const desk = '+4930555000';
  /** Has the assistant transfer the customer. */
  const transferred = async () => {
    const started = await answered({
      tools: [{ type: 'call_transfer', description: 'For a person.', phone_number: desk }],
    });
    const { call, relay } = started;
    await relay.hears('Hello, this is Kim.');
    model.behave({ calls: [{ name: 'call_transfer', arguments: {} }], chunks: ['I will connect you.'] });
    relay.say('A person, please.');
    await relay.hears('I will connect you.');
    const transfer = await eventually(
      () => 'the transfer',
      () => call.transfer,
    );
    return { ...started, transfer };
  };

  for (const [isAnswered, status, end] of [
    [true, 'completed', ['completed', 'transfer']],
    [false, 'no-answer', ['ended_by_customer', 'hung-up']],
    [false, 'canceled', ['ended_by_customer', 'hung-up']],
  ] as const) {
    const when = isAnswered ? 'after' : 'before';
    test(`ends if the customer hangs up ${when} the transfer is answered (${status})`, async () => {
      const { id, call } = await transferred();
      if (isAnswered) await call.answerTransfer();
      await call.hangUpTransfer(status);
      const record = await ended(id);
      assert.deepEqual([record['status'], record['end_reason']], end);
      assertNoViolations(call);
    });
  }

  test('ends if the customer hangs up before the transfer is answered, and its status webhook is lost', async () => {
    const { id, call } = await transferred();
    await call.hangUpTransfer('no-answer', { isReported: false });
    const record = await ended(id);
    assert.deepEqual([record['status'], record['end_reason']], ['ended_by_customer', 'hung-up']);
    assertNoViolations(call);
  });

  for (const [outcome, title] of [
    ['completed', 'ends when the transfer has ended'],
    ['no-answer', 'returns to the assistant if nobody answers the transfer'],
  ] as const) {
    test(title, async () => {
      const { id, call, transfer } = await transferred();
      assert.deepEqual([transfer.to, transfer.callerId], [desk, call.form['To']]);
      model.behave({ chunks: ['Nobody is there. Can I help?'] });
      await call.endTransfer(outcome);
      if (outcome === 'completed') {
        await call.over();
        const record = await ended(id);
        assert.deepEqual([record['status'], record['end_reason']], ['completed', 'transfer']);
      } else {
        const back = await call.connected(2);
        await back.hears('Nobody is there. Can I help?');
        await call.hangUp();
        const { transcript, total_cost: cost } = await ended(id);
        assert.match(String(transcript), /AI: I will connect you\.\nAI: Nobody is there/);
        assert.equal(cost, 0.1);
      }
      assertNoViolations(call);
    });
  }

  test('has a recording that supports ranges, and is deleted at the carrier with the call', async () => {
    const { id, call, relay } = await answered({ record: true });
    await relay.hears('Hello, this is Kim.');
    await call.hangUp();
    const record = await ended(id);
    const url = await eventually(
      () => 'the recording',
      async () => {
        const { pathname } = new URL(String((await read(id))['recording_url']));
        const response = await fetch(service.url + pathname);
        return response.status === 200 ? service.url + pathname : undefined;
      },
    );
    const part = await fetch(url, { headers: { Range: 'bytes=0-3' } });
    const [file] = twilio.recordings.values();
    const bytes = new Uint8Array(await part.arrayBuffer());
    assert.deepEqual([part.status, bytes], [206, file?.file.slice(0, 4)]);
    for (const value of part.headers.values()) assert.doesNotMatch(value, /twilio/i);
    assert.doesNotMatch(JSON.stringify(record), /twilio|AC0123/i);
    assert.equal((await owner.delete(`calls/${String(id)}`)).status, 200);
    await eventually(
      () => 'the deletion at the carrier',
      () => (twilio.recordings.size === 0 ? true : undefined),
    );
  });

  test('is answered by the inbound assistant with the number that was bought', async () => {
    twilio.offers.set('DE', { Local: ['+4930555000111'] });
    twilio.prices.set('DE', { local: '1.15' });
    const { json: search } = await owner.get('phone-numbers/search?country_code=DE');
    const [offer] = search['data'] as Record<string, unknown>[];
    assert.deepEqual([offer?.['phone_number'], offer?.['price']], ['+4930555000111', 1.15]);
    const before = await readMoney(service, owner.id);
    const { json: bought } = await owner.post('phone-numbers/purchase', { phone_number: '+4930555000111' });
    const after = await readMoney(service, owner.id);
    assert.equal(Math.round((before.balance - after.balance) * 100), 115);
    const assistant = await owner.create(
      'assistant',
      assistantBody({
        type: 'inbound',
        phone_number_id: (bought['data'] as { id: number }).id,
        initial_message: 'Welcome to the bakery.',
      }),
    );
    await owner.put(`assistant/${String(assistant.id)}`, { status: 'active' });
    const call = await twilio.receiveCall('+4917012345678', '+4930555000111');
    const relay = await call.connected();
    await relay.hears('Welcome to the bakery.');
    await call.hangUp();
    const { json } = await owner.get('calls?type=inbound');
    const [first] = json['data'] as { id: number }[];
    const record = await ended(first?.id ?? 0);
    assert.deepEqual(
      [record['client_phone_number'], record['answered_by'], record['total_cost']],
      ['+4917012345678', 'human', 0.1],
    );
  });

  test('logs which webhook was called, without its token', async () => {
    const { call } = await answered();
    await call.hangUp();
    const token = /calls\/\d+\/([\w-]+)\/status/.exec(call.form['StatusCallback'] ?? '')?.[1] ?? '';
    assert.match(logged.join(''), /"route":"\/api\/carrier\/twilio\/calls\/:callId[^"]*\/status"/);
    assert.doesNotMatch(logged.join(''), new RegExp(token));
  });

  test('logs no credentials of the carrier, even if it refuses a call', async () => {
    const count = logged.length;
    twilio.nextCall = { status: 400, code: 21210 };
    const assistant = await owner.create('assistant', assistantBody());
    const { json } = await owner.post('make_call', {
      phone_number: '+493087653999',
      assistant_id: assistant.id,
    });
    assert.equal((await ended(Number(json['call_id'])))['status'], 'failed');
    assert.match(logged.slice(count).join(''), /the carrier did not accept a call/);
    for (const line of logged) assert.doesNotMatch(line, new RegExp(credentials.authToken));
  });
});

for (const [end, signal] of [
  ['is killed', 'SIGKILL'],
  ['stops', 'SIGTERM'],
] as const) {
  test(
    `continues a call in another process if its process ${end}, without dialing or charging twice`,
    {
      skip: testDatabase === 'pglite',
    },
    async () => {
      const otherTwilio = await FakeTwilio.start();
      otherTwilio.own(own);
      atEnd(() => otherTwilio.close());
      const shared = { ...env, ...(await newDatabase()), ...twilioSettings(otherTwilio) };
      const first = await startServiceProcess({ ...shared, SHUTDOWN_SECONDS: '0' });
      otherTwilio.reach(first.url);
      const api = await startService({ ...shared, WORKERS: 'off' });
      const caller = await Owner.create(api, '10');
      const assistant = await caller.create(
        'assistant',
        assistantBody({ initial_message: 'Hello, this is Kim.', post_call_evaluation: false }),
      );
      const to = '+493087654999';
      const { json } = await caller.post('make_call', { phone_number: to, assistant_id: assistant.id });
      const id = Number(json['call_id']);
      const call = await otherTwilio.call(to);
      await call.ring();
      await call.answer();
      await (await call.connected()).hears('Hello, this is Kim.');

      const second = await startServiceProcess(shared);
      otherTwilio.reach(second.url);
      model.behave({ chunks: ['Sorry, we were interrupted.'] });
      first.signal(signal);
      const relay = await call.connected(2);
      await relay.hears('Sorry, we were interrupted.');
      await call.hangUp();
      const record = await ended(id, caller);
      assert.match(
        String(record['transcript']),
        /^AI: Hello, this is Kim\.\nAI: Sorry, we were interrupted\.$/,
      );
      assert.equal(record['total_cost'], 0.1);
      assert.equal(otherTwilio.calls.length, 1);
      const { balance, ledger } = await readMoney(api, caller.id);
      assert.deepEqual([balance, ledger], [9.9, 9.9]);
    },
  );
}
