import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addCampaign } from '../support/records/add-records.ts';
import { numbered, testFields } from '../support/records/field-table.ts';
import { Owner } from '../support/records/owner.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const { pool } = service.running.database;
const owner = await Owner.create(service);
const campaign = await addCampaign(owner);
const foreign = await addCampaign(await Owner.create(service));

const body = (more: Record<string, unknown> = {}) => ({
  phone_number: '+4915112345678',
  campaign_id: campaign.id,
  allow_dupplicate: true,
  ...more,
});
const changed = await owner.create('lead', body());

describe('updateLead', () => {
  test('is also available as PUT /api/leads/{id}, with an API key', async () => {
    const lead = await owner.create('lead', body());
    const put = (id: number, key: string) =>
      service.request('PUT', `/api/leads/${id}`, { status: 'completed' }, { Authorization: `Bearer ${key}` });
    const refused = await put(lead.id, 'none');
    assert.deepEqual([refused.status, refused.json], [401, { message: 'Unauthenticated.' }]);
    const { status, json } = await put(lead.id, owner.key);
    assert.deepEqual([status, (json['data'] as Record<string, unknown>)['status']], [200, 'completed']);
    const otherOwner = await Owner.create(service);
    assert.equal((await put(lead.id, otherOwner.key)).status, 404);
  });

  test('changes the given fields and merges variables', async () => {
    const lead = await owner.create('lead', body({ variables: { a: 1, b: 2 } }));
    const target = await addCampaign(owner, 'Autumn');
    const moved = await owner.put(`leads/${lead.id}`, {
      campaign_id: target.id,
      phone_number: '+49 30 111222',
      status: 'completed',
      variables: { b: 3, c: 4 },
    });
    assert.equal(moved.status, 200);
    const { updated_at, ...rest } = moved.json['data'] as Record<string, unknown>;
    assert.match(String(updated_at), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    delete lead['updated_at'];
    assert.deepEqual(rest, {
      ...lead,
      campaign_id: target.id,
      campaign: { id: target.id, name: 'Autumn' },
      phone_number: '+4930111222',
      status: 'completed',
      variables: { a: 1, b: 3, c: 4 },
    });
    const same = await owner.put(`leads/${lead.id}`, { variables: null });
    assert.deepEqual((same.json['data'] as Record<string, unknown>)['variables'], { a: 1, b: 3, c: 4 });
  });

  test('rejects variables that exceed the limit together with the existing ones', async () => {
    const { id } = await owner.create('lead', body({ variables: numbered(100) }));
    assert.equal((await owner.put(`leads/${id}`, { variables: { v0: 'x' } })).status, 200);
    const { status, errors } = await owner.put(`leads/${id}`, { variables: { more: 1 } });
    assert.deepEqual([status, Object.keys(errors)], [422, ['variables']]);
  });

  test('rejects a number that another lead of the campaign has, unless allow_dupplicate is true', async () => {
    const [spring, autumn] = [await addCampaign(owner, 'Spring'), await addCampaign(owner, 'Autumn')];
    const add = (campaign_id: number, phone_number: string) =>
      owner.create('lead', { campaign_id, phone_number });
    const first = await add(spring.id, '+4930111001');
    const second = await add(spring.id, '+4930111002');
    const third = await add(autumn.id, '+4930111001');
    const refused = async (id: number, input: Record<string, unknown>) => {
      const { status, errors } = await owner.put(`leads/${id}`, input);
      assert.deepEqual([status, Object.keys(errors)], [422, ['phone_number']]);
    };
    await refused(second.id, { phone_number: '+49 30 111001' });
    await refused(third.id, { campaign_id: spring.id });
    await refused(second.id, {
      campaign_id: autumn.id,
      phone_number: '+4930111001',
      allow_dupplicate: false,
    });
    const accepted = async (id: number, input: Record<string, unknown>) => {
      const { status, text } = await owner.put(`leads/${id}`, input);
      assert.equal(status, 200, text);
    };
    // A lead's own number is not a duplicate.
    await accepted(first.id, { campaign_id: spring.id, phone_number: '+4930111001', status: 'completed' });
    await accepted(third.id, { campaign_id: spring.id, phone_number: '+4930111003' });
    await accepted(second.id, { phone_number: '+4930111001', allow_dupplicate: true });
    // An existing duplicate can be changed without being moved.
    await accepted(second.id, { campaign_id: spring.id, variables: { a: 1 } });
  });

  test('accepts one of several simultaneous requests with the same number', async () => {
    const { id: campaign_id } = await addCampaign(owner, 'Rush');
    const ids: number[] = [];
    for (const last of [1, 2, 3]) {
      ids.push((await owner.create('lead', { campaign_id, phone_number: `+493011200${last}` })).id);
    }
    const answers = await Promise.all(
      ids.map((id) => owner.put(`leads/${id}`, { phone_number: '+4930112009' })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422]);
  });

  describe('a field of updateLead', () => {
    testFields(
      [
        ['campaign_id', [campaign.id], [foreign.id, 0, 99_999, null]],
        ['phone_number', ['+1234567'], ['+123456', '', null]],
        [
          'status',
          ['created', 'completed', 'reached-max-retries'],
          ['scheduled', 'processing', 'rescheduled', 'blacklisted', '', null],
        ],
        ['variables', [{}, []], ['x', { a: 'x'.repeat(2001) }]],
      ],
      200,
      (fields) => owner.put(`leads/${changed.id}`, fields),
    );
  });
});

test('deletes a lead with its secondary contacts, and then returns 404', async () => {
  const { id } = await owner.create('lead', body({ secondary_contacts: [{ phone_number: '+4930111222' }] }));
  const { status, json } = await owner.delete(`leads/${id}`);
  assert.deepEqual([status, Object.keys(json)], [200, ['message']]);
  const { rows } = await pool.query('SELECT 1 FROM secondary_contacts WHERE lead_id = $1', [id]);
  assert.deepEqual(rows, []);
  for (const missingId of [id, 0, 'x', 99_999_999_999]) {
    for (const answer of [
      await owner.delete(`leads/${missingId}`),
      await owner.put(`leads/${missingId}`, { status: 5 }),
    ]) {
      assert.deepEqual([answer.status, answer.json], [404, { message: 'Lead not found.' }]);
    }
  }
});

test('deletes the leads of a deleted campaign', async () => {
  const own = await addCampaign(owner);
  await owner.create('lead', body({ campaign_id: own.id }));
  await owner.delete(`campaign/${own.id}`);
  assert.deepEqual((await owner.get(`leads?campaign_id=${own.id}`)).json['data'], []);
});
