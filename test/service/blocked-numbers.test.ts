import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eq, sql } from 'drizzle-orm';
import { readCallBalance } from '../../src/service/billing/call-balance.ts';
import { moveMoney } from '../../src/service/billing/ledger.ts';
import { endCall } from '../../src/service/call/outcome/end-call.ts';
import { applyEvaluation } from '../../src/service/campaign/apply-evaluation.ts';
import { blockNumber } from '../../src/service/campaign/blocked-number.ts';
import { calls } from '../../src/service/db/calls-table.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { eventually } from '../support/eventually.ts';
import { addCall } from '../support/records/add-records.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { wireTimestamp } from '../support/service/service-client.ts';
import { startService, testDatabase } from '../support/service/service.ts';

const service = await startService();
const owner = await Owner.create(service, '10');
const assistant = await owner.create('assistant', assistantBody());
const list = async (query = '') =>
  (await owner.get(`blocked-numbers${query}`)).json['data'] as Record<string, unknown>[];

describe('a blocked number', () => {
  test('cannot be called until it is unblocked', async () => {
    const { status, json } = await owner.post('blocked-numbers', { phone_number: '+49 (30) 1234-567' });
    assert.equal(status, 201);
    const { id, phone_number, created_at } = json['data'] as Record<string, unknown>;
    assert.equal(phone_number, '+49301234567');
    assert.match(String(created_at), wireTimestamp);
    const call = () => owner.post('make_call', { phone_number: '+49301234567', assistant_id: assistant.id });
    assert.equal((await call()).status, 422);
    assert.equal((await owner.delete(`blocked-numbers/${String(id)}`)).status, 200);
    assert.equal((await call()).status, 200);
    assert.equal((await owner.delete(`blocked-numbers/${String(id)}`)).status, 404);
  });

  test('is listed once if it is blocked repeatedly', async () => {
    const [first, second] = [
      await owner.create('blocked-numbers', { phone_number: '+49301234500' }),
      await owner.create('blocked-numbers', { phone_number: '+49301234500' }),
    ];
    assert.deepEqual(first, second);
    assert.equal((await list('?phone_number=1234500')).length, 1);
  });

  test('is listed newest first, in pages, and found by part of its digits', async () => {
    await owner.create('blocked-numbers', { phone_number: '+49301234501' });
    const numbers = (await list('?phone_number=%2B4930123450&per_page=1')).map(
      ({ phone_number }) => phone_number,
    );
    assert.deepEqual(numbers, ['+49301234501']);
    assert.deepEqual(
      (await list('?phone_number=123450&page=2&per_page=1')).map(({ phone_number }) => phone_number),
      ['+49301234500'],
    );
  });

  test('is listed in pages of up to 100', async () => {
    assert.equal((await owner.get('blocked-numbers?per_page=100')).json['per_page'], 100);
    for (const query of ['per_page=101', 'per_page=0', 'page=0', 'phone_number=x']) {
      const { status, errors } = await owner.get(`blocked-numbers?${query}`);
      assert.deepEqual([status, Object.keys(errors)], [422, [query.split('=')[0]]]);
    }
  });

  test('must be in E.164 format', async () => {
    for (const phone_number of ['030 1234567', '', null, undefined, 5]) {
      const { status, errors } = await owner.post('blocked-numbers', { phone_number });
      assert.deepEqual([status, Object.keys(errors)], [422, ['phone_number']]);
    }
  });

  test('is added if the evaluation of a call reports do_not_call', async () => {
    const { db } = service.running.database;
    const jobs = new StoredJobs(service.running.database);
    for (const [clientPhoneNumber, do_not_call] of [
      ['+49301234600', true],
      ['+49301234601', false],
      ['+49301234602', null],
    ] as const) {
      const call = { userId: owner.id, clientPhoneNumber, campaignId: null, leadId: null };
      await db.transaction((tx) => applyEvaluation({ tx, jobs }, call, { do_not_call }));
    }
    assert.deepEqual(
      (await list('?phone_number=12346')).map(({ phone_number }) => phone_number),
      ['+49301234600'],
    );
  });
});

test(
  'the end of a call that blocks a number waits for a step of a campaign that blocks it, without a deadlock',
  { skip: testDatabase === 'pglite' && 'an embedded database has one transaction at a time' },
  async () => {
    const { database } = service.running;
    const phone = '+49301234599';
    const callId = await addCall(service, {
      ...{ userId: owner.id, assistantId: assistant.id, status: 'in-progress', clientPhoneNumber: phone },
      messages: [{ role: 'user', content: 'Please do not call me again.', at: 0, seconds: 1 }],
    });
    const charge = { userId: owner.id, kind: 'charge', amount: '0.1', callId, callMinute: 1 } as const;
    await moveMoney(database.db, charge);
    let end: Promise<boolean> | undefined;
    await database.transaction(async (tx) => {
      await tx.execute(sql`SET LOCAL deadlock_timeout = '1ms'`);
      await blockNumber(tx, owner.id, phone);
      const failed = { status: 'failed', reason: 'failed' } as const;
      end = endCall({ database, jobs: new StoredJobs(database) }, eq(calls.id, callId), failed);
      // Of this database: other tests use the same server.
      const waiting = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(
        'the end of the call',
        async () => (await database.pool.query(waiting)).rows.length > 0,
      );
      await readCallBalance(tx, owner.id);
    });
    assert.equal(await end, true);
  },
);
