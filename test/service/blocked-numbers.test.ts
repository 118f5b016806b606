import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applyEvaluation } from '../../src/service/campaign/apply-evaluation.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { wireTimestamp } from '../support/service/service-client.ts';
import { startService } from '../support/service/service.ts';

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
