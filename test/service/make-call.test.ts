import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { numbered } from '../support/records/field-table.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { callTo, waitForCall } from '../support/records/simulated-numbers.ts';
import { eventually } from '../support/eventually.ts';
import { Owner } from '../support/records/owner.ts';
import { addNumber } from '../support/records/add-records.ts';
import { newDatabase, readMoney, startService } from '../support/service/service.ts';

const service = await startService({
  ...(await newDatabase()),
  WORKERS: 'on',
  CARRIER_SECONDS: '0',
});
const owner = await Owner.create(service, '10');
const numberId = await addNumber(service, owner.id);
const assistant = await owner.create(
  'assistant',
  assistantBody({
    initial_message: 'Hello {{name}}, this is {{who}}.',
    variables: { name: 'there', who: 'Kim' },
    phone_number_id: numberId,
    record: true,
    post_call_evaluation: false,
  }),
);
const make = (body: Record<string, unknown>, of = owner) =>
  of.post('make_call', { phone_number: callTo.person, assistant_id: assistant.id, ...body });

describe('makeCall', () => {
  test('responds with the call id at once and makes the call in the background', async () => {
    const { balance } = await readMoney(service, owner.id);
    const { status, json } = await make({ variables: { name: 'Ada' } });
    assert.equal(status, 200);
    const { message, call_id: id, ...rest } = json;
    assert.equal(typeof message, 'string');
    assert.deepEqual(rest, { data: {}, status: 'initiated' });
    const call = await waitForCall(owner, Number(id));
    const { transcript, duration, recording_url, created_at, updated_at, assistant_phone_number, ...record } =
      call;
    assert.deepEqual(record, {
      id,
      assistant_name: 'Kim',
      type: 'outbound',
      status: 'completed',
      client_phone_number: callTo.person,
      variables: {},
      evaluation: {},
      webhook_response: {},
      carrier_cost: 0.05,
      total_cost: 0.1,
      answered_by: 'human',
      end_reason: 'hung-up',
    });
    assert.match(String(assistant_phone_number), /^\+49891000/);
    assert.match(
      String(transcript),
      /^AI: Hello Ada, this is Kim\.\nCustomer: Hello, yes, I have a moment\.\nAI: /,
    );
    assert.match(String(transcript), /\nCustomer: Thank you, goodbye!\nAI: [^\n]+$/);
    assert.ok(Number(duration) > 10 && Number(duration) <= 60, String(duration));
    assert.match(String(recording_url), /\/api\/recordings\/[\w-]{43}$/);
    assert.ok(String(updated_at) >= String(created_at));
    const after = await readMoney(service, owner.id);
    assert.ok(Math.abs(balance - after.balance - 0.1) < 1e-9);
    assert.equal(after.ledger, after.balance);
  });

  for (const [to, status, answeredBy] of [
    [callTo.busy, 'busy', 'unknown'],
    [callTo.nobody, 'no-answer', 'unknown'],
    [callTo.failing, 'failed', 'unknown'],
    [callTo.machine, 'ended_by_assistant', 'machine'],
    [callTo.fax, 'ended_by_assistant', 'machine'],
    [callTo.losesLine, 'completed', 'human'],
    [callTo.hangsUpDuringSpeech, 'completed', 'human'],
    [callTo.hangsUp, 'ended_by_customer', 'human'],
    [callTo.silent, 'ended_by_assistant', 'human'],
  ] as const) {
    test(`ends a call to ${to} as ${status}`, async () => {
      const { json } = await make({ phone_number: to });
      const call = await waitForCall(owner, Number(json['call_id']));
      assert.deepEqual([call['status'], call['answered_by']], [status, answeredBy]);
      assert.equal(call['total_cost'] === 0, answeredBy === 'unknown');
      assert.equal('recording_url' in call, answeredBy !== 'unknown');
    });
  }

  test('re-engages a silent customer', async () => {
    const { json } = await make({ phone_number: callTo.silent });
    assert.match(
      String((await waitForCall(owner, Number(json['call_id'])))['transcript']),
      /AI: Are you still there\?/,
    );
  });

  test('blocks the number for this account if the customer asks not to be called again', async () => {
    const { json } = await make({ phone_number: callTo.objects });
    const call = await waitForCall(owner, Number(json['call_id']));
    assert.match(String(call['transcript']), /do not call me again/);
    const refused = await make({ phone_number: callTo.objects });
    assert.equal(refused.status, 422);
    assert.deepEqual(Object.keys(refused.errors), ['phone_number']);
    const other = await Owner.create(service, '1');
    const otherAssistant = await other.create('assistant', assistantBody());
    assert.equal(
      (await make({ phone_number: callTo.objects, assistant_id: otherAssistant.id }, other)).status,
      200,
    );
  });
});

test('returns an empty evaluation for a call in which nobody spoke', async () => {
  const evaluated = await owner.create('assistant', assistantBody({ post_call_evaluation: true }));
  for (const phone_number of [callTo.nobody, callTo.silent]) {
    const { json } = await make({ phone_number, assistant_id: evaluated.id });
    const id = Number(json['call_id']);
    await waitForCall(owner, id);
    await eventually('the evaluation', async () => {
      const { rows } = await service.running.database.pool.query(
        'SELECT 1 FROM calls WHERE id = $1 AND end_handled_at IS NOT NULL',
        [id],
      );
      return rows.length > 0 ? true : undefined;
    });
    assert.deepEqual((await owner.get(`calls/${id}`)).json['evaluation'], {});
  }
});

describe('an Idempotency-Key', () => {
  const body = { phone_number: callTo.busy, assistant_id: assistant.id };
  const request = (key: string, more = {}, of = owner) =>
    service.post(
      '/api/user/make_call',
      { ...body, ...more },
      {
        Authorization: `Bearer ${of.key}`,
        'Idempotency-Key': key,
      },
    );
  const count = async () => (await owner.get('calls')).json['total'];

  test('prevents repeated calls, also after the call was deleted', async () => {
    const before = Number(await count());
    const answers = await Promise.all([1, 2, 3].map(() => request('one')));
    const [id, ...others] = answers.map(({ json }) => json['call_id']);
    assert.deepEqual([typeof id, ...others, await count()], ['number', id, id, before + 1]);
    await waitForCall(owner, Number(id));
    assert.equal((await owner.delete(`calls/${String(id)}`)).status, 200);
    assert.equal((await request('one')).status, 404);
    assert.equal(await count(), before);
  });

  test('is specific to the body and the account, and reusable after an error', async () => {
    assert.equal((await request('two', { phone_number: 'nobody' })).status, 400);
    const { json } = await request('two');
    const other = await request('two', { variables: { name: 'Ada' } });
    assert.deepEqual([other.status, typeof other.json['message']], [422, 'string']);
    assert.equal((await request('k'.repeat(256))).status, 422);
    const otherOwner = await Owner.create(service, '1');
    const otherAssistant = await otherOwner.create('assistant', assistantBody());
    const call = (await request('two', { assistant_id: otherAssistant.id }, otherOwner)).json['call_id'];
    assert.ok(Number(call) > Number(json['call_id']));
  });
});

test('fails a call that has waited for too long', async () => {
  const { rows } = await service.running.database.pool.query<{ id: number }>(
    `INSERT INTO calls (user_id, assistant_id, assistant_name, type, client_phone_number, created_at)
     VALUES ($1, $2, 'Kim', 'outbound', $3, now() - interval '6 minutes') RETURNING id`,
    [owner.id, assistant.id, callTo.person],
  );
  const callId = rows[0]?.id ?? 0;
  await new StoredJobs(service.running.database).send('place-call', { callId });
  const call = await waitForCall(owner, callId);
  assert.deepEqual([call['status'], call['transcript'], call['total_cost']], ['failed', '', 0]);
});

describe('makeCall rejects', () => {
  for (const phone_number of [
    '015112345678',
    '+49',
    '+49 abc',
    '+1234567890123456789',
    'call me',
    '+49 151 12345678 call me',
    '+49 151 12345678',
    '+49(151)12345678',
    '+49-151.12345678',
    ' +4915112345678',
    '4915112345678',
    '004915112345678',
    '++4915112345678',
    'Ada +4915112345678',
    '+4915112345678 ext. 7',
    '+4915112345678;ext=7',
    'tel:+4915112345678',
  ]) {
    test(`"${phone_number}", which is not in E.164 format`, async () => {
      const { status, json } = await make({ phone_number });
      assert.equal(status, 400);
      assert.deepEqual(json, {
        message:
          'The phone number must be in E.164 format: a plus sign and 7 to 15 digits, such as +4915112345678.',
      });
    });
  }

  test('too many, too long and invalid variables', async () => {
    for (const variables of [numbered(101), { ['n'.repeat(65)]: '' }, { a: 'x'.repeat(2001) }, ['Ada']]) {
      const { status, errors } = await make({ variables });
      assert.deepEqual([status, Object.keys(errors)], [422, ['variables']]);
    }
    const held = { ...numbered(98), ['n'.repeat(64)]: '', a: 'x'.repeat(2000) };
    for (const variables of [held, [], null]) assert.equal((await make({ variables })).status, 200);
  });

  test('an unknown assistant and another user’s with the same response', async () => {
    const other = await Owner.create(service, '1');
    const missing = await make({ assistant_id: 99_999 });
    const foreign = await make({}, other);
    assert.deepEqual([missing.status, missing.text], [404, foreign.text]);
    assert.deepEqual(missing.json, { message: 'Assistant not found.' });
  });

  test('an inbound assistant', async () => {
    const inbound = await owner.create('assistant', assistantBody({ type: 'inbound' }));
    const { status, errors } = await make({ assistant_id: inbound.id });
    assert.deepEqual([status, Object.keys(errors)], [422, ['assistant_id']]);
  });

  test('missing fields by name', async () => {
    const { status, errors } = await owner.post('make_call', { variables: 'none' });
    assert.equal(status, 422);
    assert.deepEqual(Object.keys(errors).sort(), ['assistant_id', 'phone_number', 'variables']);
  });

  test('a balance below the price of one minute', async () => {
    const lowBalanceOwner = await Owner.create(service, '0.0999');
    const otherAssistant = await lowBalanceOwner.create('assistant', assistantBody());
    const refused = await make({ assistant_id: otherAssistant.id }, lowBalanceOwner);
    assert.deepEqual(
      [refused.status, refused.json],
      [422, { message: 'Insufficient balance. Please top up your account.' }],
    );
    const enough = await Owner.create(service, '0.1');
    const own = await enough.create('assistant', assistantBody());
    const { json } = await make({ assistant_id: own.id }, enough);
    const call = await waitForCall(enough, Number(json['call_id']));
    assert.equal(call['status'], 'completed');
    assert.deepEqual(await readMoney(service, enough.id), { balance: 0, ledger: 0 });
  });
});
