import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Campaign } from '../../src/contract/campaign.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { flag, many, testFields, textOf, whole } from '../support/records/field-table.ts';
import { Owner } from '../support/records/owner.ts';
import { addNumber } from '../support/records/add-records.ts';
import { wireTimestamp } from '../support/service/service-client.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const { pool } = service.running.database;
const owner = await Owner.create(service, '10');
const other = await Owner.create(service);
const outbound = await owner.create('assistant', assistantBody({ timezone: 'Asia/Tokyo' }));
const inbound = await owner.create('assistant', assistantBody({ type: 'inbound' }));
const foreign = await other.create('assistant', assistantBody());
const numbers = [
  await addNumber(service, owner.id),
  await addNumber(service, owner.id, { type: 'caller_id' }),
];
const foreignNumber = await addNumber(service, other.id);

const everyDay = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const body = (more: Record<string, unknown> = {}) => ({ name: 'Spring', assistant_id: outbound.id, ...more });
const list = async (of = owner) => JSON.parse((await of.get('campaigns')).text) as Record<string, unknown>[];

describe('createCampaign', () => {
  test('returns a draft with defaults, in the time zone of its assistant', async () => {
    const { status, json } = await owner.post('campaigns', body());
    assert.equal(status, 201);
    assert.equal(typeof json['message'], 'string');
    const { id, created_at, updated_at, ...rest } = json['data'] as Record<string, unknown>;
    assert.ok(Number.isInteger(id));
    assert.match(String(created_at), wireTimestamp);
    assert.equal(updated_at, created_at);
    assert.deepEqual(rest, {
      assistant_id: outbound.id,
      name: 'Spring',
      status: 'draft',
      timezone: 'Asia/Tokyo',
      max_calls_in_parallel: 3,
      allowed_hours_start_time: '00:00',
      allowed_hours_end_time: '23:59',
      allowed_days: everyDay,
      max_retries: 3,
      retry_interval: 60,
      retry_on_voicemail: false,
      retry_on_goal_incomplete: false,
      goal_completion_variable: null,
      mark_complete_when_no_leads: true,
      phone_number_ids: [],
      stop_reason: null,
    });
  });

  test('stores all given fields, numbers in the given order and days in the order of the week', async () => {
    const input = {
      timezone: 'Europe/Oslo',
      max_calls_in_parallel: 10,
      allowed_hours_start_time: '09:30',
      allowed_hours_end_time: '17:00',
      max_retries: 5,
      retry_interval: 4320,
      retry_on_voicemail: true,
      retry_on_goal_incomplete: true,
      goal_completion_variable: 'won',
      mark_complete_when_no_leads: false,
    };
    const created = await owner.create(
      'campaigns',
      body({
        ...input,
        allowed_days: ['friday', 'monday', 'friday'],
        phone_number_ids: [...numbers.toReversed(), ...numbers],
        status: 'completed',
      }),
    );
    assert.deepEqual(Object.fromEntries(Object.keys(input).map((field) => [field, created[field]])), input);
    assert.deepEqual(created['allowed_days'], ['monday', 'friday']);
    assert.deepEqual(created['phone_number_ids'], numbers.toReversed());
    assert.equal(created['status'], 'draft');
    assert.deepEqual((await list()).at(-1), created);
  });

  test('reports all missing required fields', async () => {
    const { status, errors } = await owner.post('campaigns', {});
    assert.deepEqual([status, Object.keys(errors)], [422, ['name', 'assistant_id']]);
  });

  test('rejects a number that is scheduled for release', async () => {
    const releasing = await addNumber(service, owner.id);
    await owner.delete(`phone-numbers/${releasing}`);
    const { status, errors } = await owner.post('campaigns', body({ phone_number_ids: [releasing] }));
    assert.equal(status, 422);
    assert.match(errors['phone_number_ids']?.[0] ?? '', /scheduled for release/);
  });

  test("returns 404 for an assistant that is inbound, deleted, missing or another user's", async () => {
    const deleted = await owner.create('assistant', assistantBody());
    await owner.delete(`assistant/${deleted.id}`);
    for (const assistant_id of [inbound.id, deleted.id, foreign.id, 99_999]) {
      const { status, json } = await owner.post('campaigns', body({ assistant_id }));
      assert.deepEqual([status, json], [404, { message: 'Outbound assistant not found.' }]);
    }
  });
});

const hours = (field: string) =>
  [field, ['00:00', '09:30', '23:59', null], ['24:00', '12:60', '9:30', '09:30:00', 'noon', 930, []]] as [
    string,
    unknown[],
    unknown[],
  ];

describe('a field of createCampaign', () => {
  testFields(
    [
      textOf('name', 255, true),
      ['assistant_id', [outbound.id, String(outbound.id)], [0, 'x', null]],
      ['timezone', ['UTC', 'Europe/Berlin', null], ['Mars/Olympus', '+01:00', 5]],
      whole('max_calls_in_parallel', 1, 10),
      hours('allowed_hours_start_time'),
      hours('allowed_hours_end_time'),
      [
        'allowed_days',
        [['sunday'], everyDay, null],
        [[], ['Monday'], ['mon'], 'monday', [1], many(8, 'monday')],
      ],
      whole('max_retries', 1, 5),
      whole('retry_interval', 10, 4320),
      flag('retry_on_voicemail'),
      flag('retry_on_goal_incomplete'),
      ['goal_completion_variable', ['won', 'x'.repeat(64), null], ['x'.repeat(65), 5]],
      flag('mark_complete_when_no_leads'),
      [
        'phone_number_ids',
        [[], numbers, many(50, numbers[0]), null],
        [[foreignNumber], [...numbers, 99_999], [0], 'x', many(51, numbers[0])],
      ],
    ],
    201,
    (fields) => owner.post('campaigns', body(fields)),
  );
});

test('lists campaigns as a bare array, oldest first', async () => {
  const reader = await Owner.create(service);
  const assistant = await reader.create('assistant', assistantBody());
  const first = await reader.create('campaigns', body({ assistant_id: assistant.id }));
  const second = await reader.create('campaigns', body({ assistant_id: assistant.id }));
  const campaigns = await list(reader);
  assert.deepEqual(campaigns, [first, second]);
  assert.ok(campaigns.every((campaign) => Campaign.safeParse(campaign).success));
});

describe('updateCampaignStatus', () => {
  const change = (campaign_id: unknown, action: unknown) =>
    owner.post('campaigns/update-status', { campaign_id, action });
  const campaignIn = async (status: string) => {
    const { id } = await owner.create('campaigns', body());
    await pool.query('UPDATE campaigns SET status = $2 WHERE id = $1', [id, status]);
    return { id, now: async () => (await list()).find((campaign) => campaign['id'] === id)?.['status'] };
  };

  for (const status of ['draft', 'in-progress', 'stopped', 'completed']) {
    test(`starts a campaign that is ${status}`, async () => {
      const campaign = await campaignIn(status);
      const { json } = await change(campaign.id, 'start');
      assert.deepEqual(json['data'], { campaign_id: campaign.id, status: 'in-progress' });
      assert.equal(await campaign.now(), 'in-progress');
    });
  }

  test('refuses to start a campaign whose assistant was deleted', async () => {
    const assistant = await owner.create('assistant', assistantBody());
    const { id } = await owner.create('campaigns', body({ assistant_id: assistant.id }));
    await owner.delete(`assistant/${assistant.id}`);
    const answer = await change(id, 'start');
    assert.deepEqual(
      [answer.status, answer.json['success'], Object.keys(answer.errors)],
      [422, false, ['action']],
    );
    assert.equal((await list()).find((campaign) => campaign['id'] === id)?.['status'], 'draft');
  });

  for (const status of ['in-progress', 'stopped']) {
    test(`stops a campaign that is ${status}`, async () => {
      const campaign = await campaignIn(status);
      const answer = await change(campaign.id, 'stop');
      assert.equal(answer.status, 200);
      const { message, ...rest } = answer.json;
      assert.equal(typeof message, 'string');
      assert.deepEqual(rest, { success: true, data: { campaign_id: campaign.id, status: 'stopped' } });
      assert.equal(await campaign.now(), 'stopped');
    });
  }

  for (const status of ['draft', 'completed']) {
    test(`refuses to stop a campaign that is ${status}`, async () => {
      const campaign = await campaignIn(status);
      const answer = await change(campaign.id, 'stop');
      assert.deepEqual([answer.status, Object.keys(answer.errors)], [422, ['action']]);
      assert.equal(await campaign.now(), status);
    });
  }

  test('rejects unknown actions and campaigns', async () => {
    const { id } = await owner.create('campaigns', body());
    for (const action of ['pause', '', null, 5]) {
      const { status, json } = await change(id, action);
      assert.deepEqual(
        [status, json],
        [400, { success: false, message: 'The action must be start or stop.' }],
      );
    }
    const unnamed = await owner.post('campaigns/update-status', { action: 'start' });
    assert.deepEqual([unnamed.status, Object.keys(unnamed.errors)], [422, ['campaign_id']]);
    for (const action of ['start', 'stop']) {
      const { status, json } = await change(99_999, action);
      assert.deepEqual([status, json], [404, { success: false, message: 'Campaign not found.' }]);
    }
  });

  for (const status of ['draft', 'stopped', 'completed']) {
    test(`refuses to start a campaign that is ${status} if the balance does not cover a minute`, async () => {
      const lowBalanceOwner = await Owner.create(service, '0.09');
      const assistant = await lowBalanceOwner.create('assistant', assistantBody());
      const { id } = await lowBalanceOwner.create('campaigns', body({ assistant_id: assistant.id }));
      await pool.query('UPDATE campaigns SET status = $2 WHERE id = $1', [id, status]);
      const answer = await lowBalanceOwner.post('campaigns/update-status', {
        campaign_id: id,
        action: 'start',
      });
      assert.deepEqual(
        [answer.status, answer.json],
        [
          400,
          {
            success: false,
            message: 'Insufficient balance. Please top up your account.',
            data: { status },
          },
        ],
      );
      assert.equal((await list(lowBalanceOwner))[0]?.['status'], status);
    });
  }
});

test('returns 404 for a deleted or unknown campaign', async () => {
  const { id } = await owner.create('campaigns', body({ phone_number_ids: numbers }));
  const { status, json } = await owner.delete(`campaign/${id}`);
  assert.deepEqual([status, Object.keys(json)], [200, ['message']]);
  assert.ok(!(await list()).some((campaign) => campaign['id'] === id));
  for (const missingId of [id, 0, 'x', 99_999_999_999]) {
    const answer = await owner.delete(`campaign/${missingId}`);
    assert.deepEqual([answer.status, answer.json], [404, { message: 'Campaign not found.' }]);
  }
});

test('removes a released number from campaigns', async () => {
  const [kept, released] = [
    await addNumber(service, owner.id),
    await addNumber(service, owner.id, { type: 'sip' }),
  ];
  const { id } = await owner.create('campaigns', body({ phone_number_ids: [released, kept] }));
  await owner.delete(`phone-numbers/${released}`);
  const found = (await list()).find((campaign) => campaign['id'] === id);
  assert.deepEqual(found?.['phone_number_ids'], [kept]);
});
