import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Call } from '../../src/contract/call.ts';
import { addCall, addCampaign, addNumber } from '../support/records/add-records.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const owner = await Owner.create(service);
const plainTimestamp = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

test('returns all fields of a call', async () => {
  const id = await addCall(service, {
    userId: owner.id,
    campaignName: 'Spring',
    status: 'completed',
    duration: 61,
    assistantPhoneNumber: '+4930123456',
    transcript: 'AI: Hello!',
    variables: { customer: 'Ada' },
    evaluation: { sentiment: 'good', outcome: 'won', score: 0.5 },
    webhookResponse: { status: 200 },
    carrierCost: 0.0123,
    totalCost: 1.5,
    answeredBy: 'human',
    recordingUrl: 'https://shop.example/recording.wav',
  });
  const { status, json } = await owner.get(`calls/${id}`);
  assert.equal(status, 200);
  assert.ok(Call.safeParse(json).success);
  const { created_at, updated_at, ...rest } = json;
  assert.match(String(created_at), plainTimestamp);
  assert.match(String(updated_at), plainTimestamp);
  assert.deepEqual(rest, {
    id,
    assistant_name: 'Kim',
    campaign_name: 'Spring',
    type: 'outbound',
    status: 'completed',
    duration: 61,
    assistant_phone_number: '+4930123456',
    client_phone_number: '+4915112345678',
    transcript: 'AI: Hello!',
    variables: { customer: 'Ada' },
    evaluation: { sentiment: 'good', outcome: 'won', score: 0.5 },
    webhook_response: { status: 200 },
    carrier_cost: 0.0123,
    total_cost: 1.5,
    answered_by: 'human',
    recording_url: 'https://shop.example/recording.wav',
  });
});

test('omits campaign_name, conversation_id, recording_url and end_reason if there are none', async () => {
  const id = await addCall(service, { userId: owner.id });
  const { json } = await owner.get(`calls/${id}`);
  assert.ok(Call.safeParse(json).success);
  assert.deepEqual(
    Object.keys(Call.shape).filter((field) => !(field in json)),
    ['campaign_name', 'conversation_id', 'end_reason', 'recording_url'],
  );
  assert.deepEqual([json['status'], json['answered_by'], json['total_cost']], ['initiated', 'unknown', 0]);
});

describe('listCalls', () => {
  test('applies all given filters', async () => {
    const reader = await Owner.create(service);
    const [kim, mia] = [
      await reader.create('assistant', assistantBody()),
      await reader.create('assistant', assistantBody()),
    ];
    const campaign = await addCampaign(reader);
    const first = await addCall(service, {
      userId: reader.id,
      assistantId: kim.id,
      campaignId: campaign.id,
      status: 'no-answer',
      createdAt: '2026-03-01T00:00:00Z',
    });
    const second = await addCall(service, {
      userId: reader.id,
      assistantId: mia.id,
      type: 'inbound',
      clientPhoneNumber: '+4930999888',
      assistantPhoneNumber: '+4915112345678',
      createdAt: '2026-03-02T23:59:59.999999Z',
    });
    const third = await addCall(service, {
      userId: reader.id,
      assistantId: kim.id,
      type: 'web',
      clientPhoneNumber: '',
      createdAt: '2026-03-03T00:00:00Z',
    });
    const find = async (query: string) => {
      const { json } = await reader.get(`calls?${query}`);
      return (json['data'] as { id: number }[]).map(({ id }) => id);
    };
    assert.deepEqual(await find(''), [third, second, first]);
    assert.deepEqual(await find('status=no-answer'), [first]);
    assert.deepEqual(await find('status=ended_by_assistant'), []);
    assert.deepEqual(await find('type=web'), [third]);
    assert.deepEqual(await find('phone_number=%2B49151'), [first]);
    assert.deepEqual(await find('phone_number=999'), [second]);
    assert.deepEqual(await find(`assistant_id=${kim.id}`), [third, first]);
    assert.deepEqual(await find(`campaign_id=${campaign.id}`), [first]);
    assert.deepEqual(await find('date_from=2026-03-02'), [third, second]);
    assert.deepEqual(await find('date_to=2026-03-02'), [second, first]);
    assert.deepEqual(await find(`status=initiated&assistant_id=${kim.id}&date_to=2026-03-02`), []);
  });

  test('returns pages of 15', async () => {
    const reader = await Owner.create(service);
    for (let index = 0; index < 16; index++) await addCall(service, { userId: reader.id });
    const { json } = await reader.get('calls');
    assert.deepEqual(
      [json['per_page'], json['total'], json['last_page'], (json['data'] as object[]).length],
      [15, 16, 2, 15],
    );
    assert.equal(json['next_page_url'], `${service.url}/api/user/calls?page=2`);
    for (const [proxied, origin] of [
      ['https', service.url.replace('http:', 'https:')],
      ['https, http', service.url.replace('http:', 'https:')],
      ['http', service.url],
      ['gopher', service.url],
    ] as const) {
      const headers = { Authorization: `Bearer ${reader.key}`, 'X-Forwarded-Proto': proxied };
      const { json } = await service.get('/api/user/calls', headers);
      assert.equal(json['next_page_url'], `${origin}/api/user/calls?page=2`, proxied);
    }
    assert.equal(((await reader.get('calls?page=2')).json['data'] as object[]).length, 1);
  });

  test('accepts all dates from year 1 to 9999', async () => {
    const { status } = await owner.get('calls?date_from=0001-01-01&date_to=9999-12-31');
    assert.equal(status, 200);
  });

  test('accepts up to 15 digits and pages of up to 100', async () => {
    const { status, json } = await owner.get('calls?phone_number=123456789012345&per_page=100');
    assert.deepEqual([status, json['per_page'], json['total']], [200, 100, 0]);
  });

  test('rejects invalid filters', async () => {
    for (const query of [
      'status=new',
      'type=phone',
      'phone_number=abc',
      'phone_number=1234567890123456',
      'assistant_id=x',
      'campaign_id=0',
      'date_from=2026-13-01',
      'date_from=0000-12-31',
      'date_to=0000-02-29',
      'date_to=today',
      'per_page=0',
      'per_page=101',
      'page=0',
    ]) {
      const { status, errors } = await owner.get(`calls?${query}`);
      assert.deepEqual([status, Object.keys(errors)], [422, [query.split('=')[0]]]);
    }
  });
});

test('returns 404 for a deleted or unknown call', async () => {
  const id = await addCall(service, { userId: owner.id });
  const { status, json } = await owner.delete(`calls/${id}`);
  assert.deepEqual([status, Object.keys(json)], [200, ['message']]);
  for (const missingId of [id, 0, 'x', 99_999_999_999]) {
    for (const answer of [await owner.get(`calls/${missingId}`), await owner.delete(`calls/${missingId}`)]) {
      assert.deepEqual([answer.status, answer.json], [404, { message: 'Call not found.' }]);
    }
  }
});

test('keeps a call readable after its assistant, campaign, lead and number are deleted', async () => {
  const assistant = await owner.create('assistant', assistantBody());
  const campaign = await addCampaign(owner);
  const lead = await owner.create('lead', { phone_number: '+4915112345678', campaign_id: campaign.id });
  const number = await addNumber(service, owner.id, { type: 'sip' });
  const id = await addCall(service, {
    userId: owner.id,
    assistantId: assistant.id,
    campaignId: campaign.id,
    leadId: lead.id,
    campaignName: 'Spring',
    assistantPhoneNumber: '+4930123456',
  });
  const before = (await owner.get(`calls/${id}`)).json;
  await owner.delete(`assistant/${assistant.id}`);
  await owner.delete(`campaign/${campaign.id}`);
  await owner.delete(`phone-numbers/${number}`);
  const { status, json } = await owner.get(`calls/${id}`);
  assert.deepEqual([status, json], [200, before]);
});
