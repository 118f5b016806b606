import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eq, sql } from 'drizzle-orm';
import { admitCall } from '../../src/service/call/start/admit-call.ts';
import { calls } from '../../src/service/db/calls-table.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { createLog } from '../../src/service/log.ts';
import { addNumber } from '../support/records/add-records.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { startService } from '../support/service/service.ts';
import { isPending } from '../support/service/is-pending.ts';

const service = await startService();
const { database } = service.running;
const { db } = database;
const jobs = new StoredJobs(database);
const limits = { inParallel: 50, perDay: 1000 };
const dependencies = { database, jobs, limits, log: createLog('silent') };

let rung = 0;
/** Rings a number, from a new call of the carrier. */
const ring = (to: string, from = '+4915112345678', carrierCallId = `CA${++rung}`, given = dependencies) =>
  admitCall(given, { carrierCallId, from, to });

/** An owner with a number, and an active inbound assistant that has it. */
async function reachable({ balance = '10', assistant = {} }: { balance?: string; assistant?: object } = {}) {
  const owner = await Owner.create(service, balance);
  const numberId = await addNumber(service, owner.id);
  const { json } = await owner.get('phone-numbers/all');
  const number = (json['data'] as { id: number; phone_number: string }[]).find(({ id }) => id === numberId);
  const body = assistantBody({ type: 'inbound', phone_number_id: numberId, ...assistant });
  const { id } = await owner.create('assistant', body);
  await owner.put(`assistant/${id}`, { status: 'active' });
  const stored = () => db.select().from(calls).where(eq(calls.userId, owner.id)).orderBy(calls.id);
  return { owner, numberId, number: number?.phone_number ?? '', id, stored };
}

describe('an inbound call', () => {
  test('is accepted for the active assistant with the number, and stored', async () => {
    const { number, id, stored } = await reachable({
      assistant: { variables: { shop: 'Oslo' }, max_duration: 120, record: true, speech_speed: 1.1 },
    });
    const admission = await ring(number, '+4915112345678', 'CA-first');
    const [call] = await stored();
    assert.ok(call);
    assert.ok(admission.type === 'accept');
    const { token, ...plan } = admission.plan;
    assert.ok(token.length >= 43 && token === call.token);
    assert.deepEqual(
      [plan.callId, plan.maxDuration, plan.record, plan.speech.language, plan.speech.speed],
      [call.id, 150, true, 'en', 1.1],
    );
    assert.deepEqual(
      [call.type, call.status, call.assistantId, call.assistantPhoneNumber, call.clientPhoneNumber],
      ['inbound', 'initiated', id, number, '+4915112345678'],
    );
    assert.deepEqual([call.carrierCallId, call.inputVariables], ['CA-first', { shop: 'Oslo' }]);
  });

  test('is stored once, with the same answer for repeated and concurrent requests', async () => {
    const { number, stored } = await reachable();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ring(number, '+4915112345678', 'CA-repeated')),
    );
    assert.equal((await stored()).length, 1);
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    await db.update(calls).set({ status: 'completed' }).where(eq(calls.carrierCallId, 'CA-repeated'));
    assert.deepEqual(await ring(number, '+4915112345678', 'CA-repeated'), {
      type: 'refuse',
      reason: 'rejected',
      refusalReason: 'call-ended',
    });
    assert.equal((await stored()).length, 1);
  });

  test('may come from a withheld number', async () => {
    const { number, stored } = await reachable();
    for (const from of ['', 'anonymous']) assert.equal((await ring(number, from)).type, 'accept');
    assert.deepEqual(
      (await stored()).map(({ clientPhoneNumber }) => clientPhoneNumber),
      ['', ''],
    );
  });
});

describe('an inbound call is rejected without a record', () => {
  const isRejected = async (number: string, refusalReason: string, from?: string) => {
    assert.deepEqual(await ring(number, from), { type: 'refuse', reason: 'rejected', refusalReason });
  };

  test('if no account has the number', () => isRejected('+4930999999', 'no-number'));

  test('if the number is a Caller ID', async () => {
    const owner = await Owner.create(service, '10');
    await addNumber(service, owner.id, { type: 'caller_id' });
    const { json } = await owner.get('phone-numbers/all');
    await isRejected((json['data'] as { phone_number: string }[])[0]?.phone_number ?? '', 'no-number');
  });

  test('if the number has been released, or its purchase is pending', async () => {
    const { number, numberId, stored } = await reachable();
    await db.execute(sql`UPDATE phone_numbers SET release_at = now() WHERE id = ${numberId}`);
    await isRejected(number, 'no-number');
    await db.execute(
      sql`UPDATE phone_numbers SET release_at = NULL, is_pending = true WHERE id = ${numberId}`,
    );
    await isRejected(number, 'no-number');
    assert.deepEqual(await stored(), []);
  });

  for (const [state, change] of [
    ['is inactive', { status: 'inactive' }],
    ['is outbound', { type: 'outbound' }],
  ] as const) {
    test(`if the assistant ${state}`, async () => {
      const { owner, number, id, stored } = await reachable();
      assert.equal((await owner.put(`assistant/${id}`, change)).status, 200);
      await isRejected(number, 'no-assistant');
      assert.deepEqual(await stored(), []);
    });
  }

  test('if the assistant is deleted', async () => {
    const { owner, number, id } = await reachable();
    await owner.delete(`assistant/${id}`);
    await isRejected(number, 'no-assistant');
  });

  test('if its owner has blocked the caller', async () => {
    const { owner, number, stored } = await reachable();
    await owner.post('blocked-numbers', { phone_number: '+4915112345678' });
    await isRejected(number, 'blocked', '+4915112345678');
    assert.equal((await ring(number, '+4915112345679')).type, 'accept');
    assert.equal((await stored()).length, 1);
  });
});

describe('an inbound call is refused as busy, and listed for its owner', () => {
  const isBusy = async (
    called: Awaited<ReturnType<typeof reachable>>,
    refusalReason: string,
    given: typeof dependencies = dependencies,
  ) => {
    const before = (await called.stored()).length;
    const carrierCallId = `CA${++rung}`;
    const refusal = { type: 'refuse', reason: 'busy', refusalReason };
    assert.deepEqual(await ring(called.number, undefined, carrierCallId, given), refusal);
    assert.deepEqual(await ring(called.number, undefined, carrierCallId, given), refusal);
    const rows = await called.stored();
    assert.equal(rows.length, before + 1);
    const call = rows.at(-1);
    assert.ok(call);
    assert.deepEqual(
      [call.type, call.status, call.endReason, call.totalCost],
      ['inbound', 'busy', refusalReason, 0],
    );
    assert.ok(await isPending(jobs, 'call-ended', { callId: call.id }));
  };

  test('if the balance does not cover a minute', async () => {
    await isBusy(await reachable({ balance: '0.09' }), 'balance');
  });

  test('if the first minutes of other calls use up the balance', async () => {
    const called = await reachable({ balance: '0.25' });
    assert.equal((await ring(called.number)).type, 'accept');
    assert.equal((await ring(called.number)).type, 'accept');
    await isBusy(called, 'balance');
  });

  test('if the daily spending limit does not cover a minute', async () => {
    const called = await reachable();
    await called.owner.put('spending-limit', { daily_limit: 0.05 });
    await isBusy(called, 'spending-limit');
  });

  test('if the account has reached its calls in parallel, inbound and outbound', async () => {
    const called = await reachable();
    const { id } = await called.owner.create('assistant', assistantBody({ type: 'outbound' }));
    await called.owner.post('make_call', { phone_number: '+4989100100000', assistant_id: id });
    const two = { ...dependencies, limits: { inParallel: 2, perDay: 1000 } };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => ring(called.number, undefined, undefined, two)),
    );
    assert.deepEqual(answers.map(({ type }) => type).sort(), ['accept', 'refuse', 'refuse', 'refuse']);
    await isBusy(called, 'calls-in-parallel', two);
  });

  test('if the account has reached its calls per day, without refused calls', async () => {
    const called = await reachable();
    const two = { ...dependencies, limits: { inParallel: 50, perDay: 2 } };
    await called.owner.post('blocked-numbers', { phone_number: '+4915112345670' });
    await ring(called.number, '+4915112345670', undefined, two);
    assert.equal((await ring(called.number, undefined, undefined, two)).type, 'accept');
    assert.equal((await ring(called.number, undefined, undefined, two)).type, 'accept');
    await isBusy(called, 'calls-per-day', two);
  });
});
