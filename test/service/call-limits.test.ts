import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { sql } from 'drizzle-orm';
import { endCall } from '../../src/service/call/outcome/end-call.ts';
import { isWaiting } from '../../src/service/call/start/plan-call.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { CampaignRun } from '../support/records/campaign-run.ts';
import { Owner } from '../support/records/owner.ts';
import { startService } from '../support/service/service.ts';
import { utcDay } from '../support/utc-day.ts';

// Limits start again at midnight (UTC).
beforeEach(utcDay);

const service = await startService({ CARRIER_COUNTRIES: 'DE, us', MAX_CALLS_IN_PARALLEL: '3' });
const second = await startService({ MAX_CALLS_IN_PARALLEL: '3' });
const daily = await startService({ MAX_CALLS_PER_DAY: '4' });
const unlimited = await startService({ MAX_CALLS_IN_PARALLEL: '0', MAX_CALLS_PER_DAY: '0' });
const { db } = service.running.database;

async function outboundOwner(balance = '100') {
  const owner = await Owner.create(service, balance);
  const { id } = await owner.create('assistant', assistantBody({ type: 'outbound' }));
  const call = (at = owner, phone_number = '+4989100100000') =>
    at.post('make_call', { phone_number, assistant_id: id });
  const endCalls = () => db.execute(sql`UPDATE calls SET status = 'completed' WHERE user_id = ${owner.id}`);
  return { owner, id, call, endCalls };
}

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

describe('the limit of calls in parallel', () => {
  test('is exact for concurrent requests to two processes', async () => {
    const { owner, call } = await outboundOwner();
    const answers = await Promise.all(
      [owner, owner.at(second), owner, owner.at(second), owner, owner.at(second)].map((at) => call(at)),
    );
    assert.deepEqual(statuses(answers), [200, 200, 200, 422, 422, 422]);
    const refused = answers.find(({ status }) => status === 422);
    assert.deepEqual(refused?.json, {
      message: 'This account may have 3 calls at the same time. Try again when one of them has ended.',
    });
  });

  test('allows another call when one has ended', async () => {
    const { call, endCalls } = await outboundOwner();
    for (let calls = 0; calls < 3; calls++) assert.equal((await call()).status, 200);
    assert.equal((await call()).status, 422);
    await endCalls();
    assert.equal((await call()).status, 200);
  });

  test('does not count the calls of other accounts', async () => {
    const [first, other] = [await outboundOwner(), await outboundOwner()];
    for (let calls = 0; calls < 3; calls++) await first.call();
    assert.equal((await other.call()).status, 200);
  });
});

describe('the limit of calls per day', () => {
  test('is exact for concurrent requests, and includes deleted calls', async () => {
    const { owner, call, endCalls } = await outboundOwner();
    const at = owner.at(daily);
    const first = await call(at);
    await endCalls();
    assert.equal((await owner.delete(`calls/${String(first.json['call_id'])}`)).status, 200);
    assert.deepEqual(statuses(await Promise.all(Array.from({ length: 6 }, () => call(at)))), [
      ...[200, 200, 200],
      ...[422, 422, 422],
    ]);
    const { json } = await call(at);
    assert.equal(
      json['message'],
      'Daily limit reached. This account may make and receive 4 calls a day. The next day begins at midnight (UTC).',
    );
  });

  test('starts again on the next day', async () => {
    const { owner, call } = await outboundOwner();
    const at = owner.at(daily);
    for (let calls = 0; calls < 4; calls++) await call(at);
    assert.equal((await call(at)).status, 422);
    await db.execute(sql`UPDATE users SET calls_on = calls_on - 1 WHERE id = ${owner.id}`);
    assert.equal((await call(at)).status, 200);
  });

  test('does not include calls that were never dialed', async () => {
    const run = await CampaignRun.start(service);
    run.limits = { inParallel: 3, perDay: 2 };
    await run.add('+4989200100');
    for (let repeat = 0; repeat < 3; repeat++) {
      await run.tick();
      assert.deepEqual(await run.called(), ['+4989200100']);
      await run.end({ status: 'failed', reason: 'not-started' });
    }
    await run.end({ status: 'busy' });
    await run.add('+4989200200');
    await run.add('+4989200300');
    await run.tick(1);
    assert.equal((await run.called()).length, 1);
  });

  test('is not raised by a call of the day before that is not dialed', async () => {
    const { owner, call } = await outboundOwner();
    const at = owner.at(daily);
    const old = await call(at);
    await db.execute(sql`UPDATE users SET calls_on = calls_on - 1 WHERE id = ${owner.id}`);
    await db.execute(
      sql`UPDATE calls SET created_at = created_at - interval '1 day' WHERE id = ${old.json['call_id']}`,
    );
    for (let calls = 0; calls < 4; calls++) assert.equal((await call(at)).status, 200);
    await endCall(
      { database: service.running.database, jobs: new StoredJobs(service.running.database) },
      isWaiting(Number(old.json['call_id'])),
      { status: 'failed', reason: 'not-started' },
    );
    assert.equal((await call(at)).status, 422);
  });

  test('is off with MAX_CALLS_PER_DAY=0', async () => {
    const { owner, call } = await outboundOwner();
    const answers = await Promise.all(Array.from({ length: 6 }, () => call(owner.at(unlimited))));
    assert.deepEqual(new Set(statuses(answers)), new Set([200]));
  });
});

describe('CARRIER_COUNTRIES', () => {
  for (const [number, problem] of [
    ['+43720000123', 'Calls to Austria are not allowed.'],
    // The Bahamas and the USA have the same calling code.
    ['+12423225555', 'Calls to Bahamas are not allowed.'],
    ['+881612345678', '+881612345678 belongs to no country that may be called.'],
    ['+499001234567', '+499001234567 is a premium number.'],
  ] as const) {
    test(`refuses ${number} in make_call, leads, contacts and transfers`, async () => {
      const { owner, id, call } = await outboundOwner();
      const campaign = await owner.create('campaigns', { name: 'Spring', assistant_id: id });
      const lead = { campaign_id: campaign.id, phone_number: '+4989100100000' };
      const known = await owner.create('lead', lead);
      const tools = [{ type: 'call_transfer', description: 'To a person.', phone_number: number }];
      for (const [field, answer] of [
        ['phone_number', await call(owner, number)],
        ['phone_number', await owner.post('lead', { ...lead, phone_number: number })],
        ['phone_number', await owner.put(`leads/${known.id}`, { phone_number: number })],
        [
          'secondary_contacts.0.phone_number',
          await owner.post('lead', {
            ...lead,
            phone_number: '+4989100100001',
            secondary_contacts: [{ phone_number: number }],
          }),
        ],
        ['tools.0.phone_number', await owner.post('assistant', assistantBody({ tools }))],
        ['tools.0.phone_number', await owner.put(`assistant/${id}`, { tools })],
      ] as const) {
        assert.equal(answer.status, 422, answer.text);
        assert.deepEqual(Object.keys(answer.errors), [field]);
        assert.ok(answer.errors[field]?.[0]?.startsWith(problem), answer.text);
      }
    });
  }

  test('allows the listed countries, and all of them by default', async () => {
    const { owner, call } = await outboundOwner();
    assert.equal((await call(owner, '+12125550142')).status, 200);
    assert.equal((await call(owner.at(second), '+43720000123')).status, 200);
  });
});

describe('a campaign', () => {
  test('stays within the call limits of its owner, and makes the other calls later', async () => {
    const run = await CampaignRun.start(service, { max_calls_in_parallel: 10 });
    run.limits = { inParallel: 3, perDay: 5 };
    for (let lead = 0; lead < 7; lead++) await run.add(`+498920010${lead}`);
    await run.tick();
    assert.equal((await run.called()).length, 3);
    await run.tick();
    assert.equal((await run.called()).length, 3);
    await run.end();
    assert.equal((await run.called()).length, 2);
    await run.end();
    assert.deepEqual([await run.called(), (await run.campaign())['status']], [[], 'in-progress']);
    await db.execute(sql`UPDATE users SET calls_on = calls_on - 1 WHERE id = ${run.owner.id}`);
    await run.tick();
    assert.equal((await run.called()).length, 2);
  });

  test('shares the limit with other campaigns and with make_call', async () => {
    const run = await CampaignRun.start(service, { max_calls_in_parallel: 10 });
    run.limits = { inParallel: 3, perDay: 100 };
    const { id } = await run.owner.create('assistant', assistantBody({ type: 'outbound' }));
    await run.owner.post('make_call', { phone_number: '+4989100100000', assistant_id: id });
    for (let lead = 0; lead < 3; lead++) await run.add(`+498920010${lead}`);
    await run.tick();
    assert.equal((await run.called()).length, 2);
    const { status } = await run.owner.post('make_call', {
      phone_number: '+4989100100000',
      assistant_id: id,
    });
    assert.equal(status, 422);
  });
});
