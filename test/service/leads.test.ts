import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Lead } from '../../src/contract/lead.ts';
import { addCampaign } from '../support/records/add-records.ts';
import { flag, many, numbered, testFields } from '../support/records/field-table.ts';
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
type Listed = Record<string, unknown> & { id: number; phone_number: string };
const list = async (of: Owner, query = '') => (await of.get(`leads${query}`)).json['data'] as Listed[];
const plainTimestamp = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

describe('createLead', () => {
  test('returns the lead with its campaign and secondary contacts', async () => {
    const { status, json } = await owner.post(
      'lead',
      body({
        phone_number: '+49 (151) 123-456.79',
        variables: { customer: 'Ada', items: [1, 2] },
        secondary_contacts: [
          { phone_number: '+4915112345670', variables: { customer: 'Bob' } },
          { phone_number: '+4915112345671' },
        ],
      }),
    );
    assert.equal(status, 200);
    assert.equal(typeof json['message'], 'string');
    const lead = Lead.parse(json['data']);
    const { id, created_at, updated_at, secondary_contacts, ...rest } = lead;
    assert.ok(Number.isInteger(id));
    assert.match(created_at, plainTimestamp);
    assert.equal(updated_at, created_at);
    assert.deepEqual(rest, {
      campaign_id: campaign.id,
      phone_number: '+4915112345679',
      variables: { customer: 'Ada', items: [1, 2] },
      status: 'created',
      campaign: { id: campaign.id, name: 'Spring' },
    });
    assert.deepEqual(
      secondary_contacts.map((contact) => [contact.phone_number, contact.variables, contact.status]),
      [
        ['+4915112345670', { customer: 'Bob' }, 'created'],
        ['+4915112345671', {}, 'created'],
      ],
    );
    for (const contact of secondary_contacts) {
      assert.ok(Number.isInteger(contact.id));
      assert.match(contact.created_at, plainTimestamp);
      assert.match(contact.updated_at, plainTimestamp);
    }
    assert.deepEqual((await list(owner))[0], json['data']);
  });

  test('leaves out a zero in parentheses, which is not dialed from abroad except to a few countries', async () => {
    const stored = async (phone_number: string) =>
      (await owner.create('lead', body({ phone_number })))['phone_number'];
    assert.equal(await stored('+49 (0) 151 123-456.78'), '+4915112345678');
    assert.equal(await stored('+44(0)2079460000'), '+442079460000');
    assert.equal(await stored('+39 (0)6 12345678'), '+390612345678');
    assert.equal(await stored('+378 (0)549 882345'), '+3780549882345');
    assert.equal(await stored('+1 (212) 555 (0)142'), '+12125550142');
  });

  test('requires a number and a campaign', async () => {
    const { status, errors } = await owner.post('lead', {});
    assert.deepEqual([status, Object.keys(errors)], [422, ['phone_number', 'campaign_id']]);
  });

  test('rejects a number that the campaign already has, unless allow_dupplicate is true', async () => {
    const own = await addCampaign(owner);
    const add = (more: Record<string, unknown> = {}) =>
      owner.post('lead', { phone_number: '+4915112345600', campaign_id: own.id, ...more });
    assert.equal((await add()).status, 200);
    for (const allow_dupplicate of [undefined, null, false, 0]) {
      const { status, errors } = await add({ allow_dupplicate, phone_number: '+49 151 12345600' });
      assert.deepEqual([status, Object.keys(errors)], [422, ['phone_number']]);
    }
    assert.equal((await add({ allow_dupplicate: true })).status, 200);
    assert.equal((await add({ campaign_id: (await addCampaign(owner)).id })).status, 200);
    assert.equal((await list(owner, `?campaign_id=${own.id}`)).length, 2);
  });

  test('accepts one of several simultaneous requests with the same number', async () => {
    const own = await addCampaign(owner);
    const answers = await Promise.all(
      many(4, 0).map(() => owner.post('lead', { phone_number: '+4915112345601', campaign_id: own.id })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422, 422]);
  });
});

describe('a field of createLead', () => {
  const contact = (more: object = {}) => [{ phone_number: '+4915112345670', ...more }];
  testFields(
    [
      [
        'phone_number',
        ['+1234567', '+123456789012345', '+49 151 1234567'],
        ['+123456', '+1234567890123456', '4915112345678', '+0151123456', '+49a5112345', '', 5, null],
      ],
      ['campaign_id', [campaign.id, String(campaign.id)], [foreign.id, 0, 99_999, 'x', null]],
      [
        'variables',
        [{}, [], null, { a: 'x'.repeat(2000) }, { ['x'.repeat(64)]: { deep: [1] } }],
        ['x', ['x'], { a: 'x'.repeat(2001) }, { ['x'.repeat(65)]: 1 }, numbered(101)],
      ],
      flag('allow_dupplicate'),
      [
        'secondary_contacts',
        [[], null, contact(), contact({ variables: null }), many(50, contact()[0])],
        [
          'x',
          [{}],
          contact({ phone_number: '123' }),
          contact({ variables: 'x' }),
          contact({ variables: { a: 'x'.repeat(2001) } }),
          many(51, contact()[0]),
        ],
      ],
    ],
    200,
    (fields) =>
      // allow_dupplicate is tested with new numbers, which are accepted either way.
      owner.post('lead', 'allow_dupplicate' in fields ? bodyWithNewNumber(fields) : body(fields)),
  );
});

let count = 0;
const bodyWithNewNumber = (fields: Record<string, unknown>) =>
  body({ phone_number: `+4916000${String(1000 + (count += 1))}`, ...fields });

describe('listLeads', () => {
  test('applies all given filters', async () => {
    const reader = await Owner.create(service);
    const [spring, autumn] = [await addCampaign(reader), await addCampaign(reader, 'Autumn')];
    const add = (phone_number: string, campaign_id = spring.id) =>
      reader.create('lead', { phone_number, campaign_id });
    const first = await add('+4915112345678');
    const second = await add('+4930999888');
    const third = await add('+12125550142', autumn.id);
    await pool.query(
      `UPDATE leads SET status = CASE id WHEN $1 THEN 'scheduled' ELSE status END, created_at = CASE id
         WHEN $1 THEN '2026-03-01T00:00:00Z'::timestamptz
         WHEN $2 THEN '2026-03-02T23:59:59.999999Z'::timestamptz
         ELSE '2026-03-03T00:00:00Z'::timestamptz END
       WHERE user_id = $3`,
      [first.id, second.id, reader.id],
    );
    const find = async (query: string) => (await list(reader, `?${query}`)).map(({ id }) => id);
    assert.deepEqual(await find(''), [third.id, second.id, first.id]);
    assert.deepEqual(await find('status=scheduled'), [first.id]);
    assert.deepEqual(await find('status=completed'), []);
    assert.deepEqual(await find(`campaign_id=${autumn.id}`), [third.id]);
    assert.deepEqual(await find(`campaign_id=${campaign.id}`), []);
    assert.deepEqual(await find('phone_number=999'), [second.id]);
    assert.deepEqual(await find('phone_number=+49'), [second.id, first.id]);
    assert.deepEqual(await find('phone_number=%2B49%20151'), [first.id]);
    assert.deepEqual(await find('phone_number=%2B49%20(0)151'), [first.id]);
    assert.deepEqual(await find('date_from=2026-03-02'), [third.id, second.id]);
    assert.deepEqual(await find('date_to=2026-03-02'), [second.id, first.id]);
    assert.deepEqual(await find('date_from=2026-03-02&date_to=2026-03-02'), [second.id]);
    assert.deepEqual(await find('date_from=2026-03-04'), []);
    assert.deepEqual(await find(`status=created&phone_number=49&campaign_id=${spring.id}`), [second.id]);
    assert.equal((await list(reader, '?status=scheduled'))[0]?.['created_at'], '2026-03-01 00:00:00');
  });

  test('returns pages of 15 whose links keep the filters', async () => {
    const reader = await Owner.create(service);
    const { id } = await addCampaign(reader);
    for (let index = 0; index < 16; index++) {
      await reader.create('lead', { phone_number: `+49151123456${10 + index}`, campaign_id: id });
    }
    const { json } = await reader.get(`leads?campaign_id=${id}`);
    assert.deepEqual(
      [json['per_page'], json['total'], json['last_page'], json['from'], json['to']],
      [15, 16, 2, 1, 15],
    );
    const next = new URL(String(json['next_page_url']));
    assert.deepEqual(
      [...next.searchParams],
      [
        ['campaign_id', String(id)],
        ['page', '2'],
      ],
    );
    const last = await reader.get(`leads${next.search}`);
    assert.deepEqual(
      (last.json['data'] as Listed[]).map(({ phone_number }) => phone_number),
      ['+4915112345610'],
    );
    assert.equal((await list(reader, '?per_page=1&page=16')).length, 1);
    const labels = async (page: number) => {
      const { json } = await reader.get(`leads?per_page=1&page=${page}`);
      const links = json['links'] as { url: string | null; label: string; active: boolean }[];
      assert.deepEqual(
        links.filter(({ active }) => active).map(({ label }) => label),
        [String(page)],
      );
      assert.ok(links.every(({ url, label }) => label !== '...' || url === null));
      return links
        .slice(1, -1)
        .map(({ label }) => label)
        .join(' ');
    };
    assert.equal(await labels(1), '1 2 3 4 5 6 7 8 9 10 ... 15 16');
    assert.equal(await labels(7), '1 2 3 4 5 6 7 8 9 10 ... 15 16');
    assert.equal(await labels(8), '1 2 ... 5 6 7 8 9 10 11 ... 15 16');
    assert.equal(await labels(9), '1 2 ... 6 7 8 9 10 11 12 ... 15 16');
    assert.equal(await labels(10), '1 2 ... 7 8 9 10 11 12 13 14 15 16');
    assert.equal(await labels(16), '1 2 ... 7 8 9 10 11 12 13 14 15 16');
    const most = await reader.get('leads?per_page=100&phone_number=123456789012345');
    assert.deepEqual([most.status, most.json['per_page'], most.json['total']], [200, 100, 0]);
  });

  test('accepts all dates from year 1 to 9999', async () => {
    const { status } = await owner.get('leads?date_from=0001-01-01&date_to=9999-12-31');
    assert.equal(status, 200);
  });

  test('rejects invalid filters', async () => {
    for (const query of [
      'status=new',
      'campaign_id=x',
      'phone_number=abc',
      'phone_number=%25',
      'phone_number=1234567890123456',
      'date_from=2026-02-30',
      'date_from=0000-12-31',
      'date_to=0000-01-01',
      'date_from=01.02.2026',
      'date_to=2026-2-3',
      'per_page=0',
      'per_page=101',
      'page=0',
    ]) {
      const { status, errors } = await owner.get(`leads?${query}`);
      assert.deepEqual([status, Object.keys(errors)], [422, [query.split('=')[0]]]);
    }
  });
});
