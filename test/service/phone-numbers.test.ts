import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'drizzle-orm';
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { OfferedNumber, PhoneNumber } from '../../src/contract/phone-number.ts';
import { endOfPaidMonth } from '../../src/service/phone-number/end-of-paid-month.ts';
import { deleteReleasedNumbers } from '../../src/service/phone-number/release-number.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { assistantBody, readAssistant } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { addNumber } from '../support/records/add-records.ts';
import { readMoney, startService } from '../support/service/service.ts';

const service = await startService();
const { pool, db } = service.running.database;
const jobs = new StoredJobs(service.running.database);
const owner = await Owner.create(service, '100');

const list = async (path: string, of = owner) =>
  (await of.get(path)).json['data'] as (Record<string, unknown> & { id: number })[];
const search = async (query = '') =>
  (await list(`phone-numbers/search${query}`)).map(({ phone_number }) => String(phone_number));

const formattedNumbers = async (country: string, digits: string) =>
  (await list(`phone-numbers/search?country_code=${country}&contains=${digits}`)).map(
    ({ phone_number_formatted }) => phone_number_formatted,
  );

describe('searchPhoneNumbers', () => {
  test('returns German numbers by default', async () => {
    const offers = await list('phone-numbers/search');
    assert.equal(offers.length, 20);
    for (const offer of offers) {
      assert.ok(OfferedNumber.safeParse(offer).success);
      assert.deepEqual(Object.keys(offer), Object.keys(OfferedNumber.shape));
      assert.equal(offer['country_code'], 'DE');
      assert.match(String(offer['phone_number']), /^\+49\d+$/);
      assert.equal(String(offer['phone_number_formatted']).replaceAll(' ', ''), offer['phone_number']);
    }
  });

  test('filters by country in any letter case and by digits', async () => {
    assert.ok((await search('?country_code=us')).every((number) => number.startsWith('+1212555')));
    assert.deepEqual(await search('?country_code=US&contains=5550142'), ['+12125550142']);
    assert.deepEqual(await search('?country_code=XX'), []);
  });

  test('returns valid numbers of 11 countries with their formatting', async () => {
    const examples = {
      AT: '+43 720 000000',
      AU: '+61 2 5550 0000',
      CA: '+1 416 555 0100',
      CH: '+41 44 000 00 00',
      DE: '+49 171 3920000',
      FR: '+33 1 99 00 00 00',
      GB: '+44 20 7946 0000',
      IE: '+353 20 913 0000',
      NL: '+31 20 000 0000',
      SE: '+46 8 465 004 00',
      US: '+1 212 555 0100',
    };
    for (const [country, example] of Object.entries(examples)) {
      const offers = await list(`phone-numbers/search?country_code=${country}&contains=00`);
      assert.ok(offers.length > 0, country);
      for (const { phone_number } of offers) {
        const number = parsePhoneNumberFromString(String(phone_number));
        assert.deepEqual([number?.country, number?.isPossible()], [country, true], String(phone_number));
      }
      const formatted = await formattedNumbers(country, example.replace(/\D/g, '').slice(-10));
      assert.ok(formatted.includes(example), `${country}: ${formatted.join()}`);
    }
  });

  test('rejects invalid countries and digits', async () => {
    for (const query of [
      'country_code=DEU',
      'country_code=1',
      'contains=12345678901',
      'contains=a',
      'contains=%2B4',
    ]) {
      const { status, errors } = await owner.get(`phone-numbers/search?${query}`);
      assert.deepEqual([status, Object.keys(errors)], [422, [query.split('=')[0]]]);
    }
  });
});

describe('purchasePhoneNumber', () => {
  test('charges the price and adds the number to the account', async () => {
    const [offered = ''] = await search('?country_code=GB');
    const before = await readMoney(service, owner.id);
    const { status, json } = await owner.post('phone-numbers/purchase', { phone_number: offered });
    assert.equal(status, 201);
    const record = json['data'] as Record<string, unknown>;
    assert.ok(PhoneNumber.safeParse(record).success);
    assert.deepEqual(Object.keys(record), Object.keys(PhoneNumber.shape));
    assert.deepEqual(
      [record['phone_number'], record['type'], record['type_label'], record['has_active_subscription']],
      [offered, 'normal', 'Dedicated', true],
    );
    assert.equal(before.balance - (await readMoney(service, owner.id)).balance, 1.5);
    assert.deepEqual((await list('phone-numbers/all')).at(-1), record);
    assert.ok(!(await search('?country_code=GB')).includes(offered));
  });

  test('returns 400 for a number that is not for sale or in use', async () => {
    const [number] = await search();
    await owner.post('phone-numbers/purchase', { phone_number: number });
    for (const phone_number of [number, '+4915199999999']) {
      const { status, json } = await owner.post('phone-numbers/purchase', { phone_number });
      const message = 'This phone number is not for sale.';
      assert.deepEqual([status, json], [400, { error: message, message }]);
    }
  });

  test('returns 422 with error, message and errors for an invalid phone number', async () => {
    for (const phone_number of ['123', 5, '', undefined]) {
      const { status, json, errors } = await owner.post('phone-numbers/purchase', { phone_number });
      assert.deepEqual([status, Object.keys(errors)], [422, ['phone_number']]);
      assert.deepEqual([json['error'], json['message']], [errors['phone_number']?.[0], json['error']]);
    }
  });

  test('sells a number to one of several simultaneous buyers', async () => {
    const [phone_number] = await search();
    const otherOwner = await Owner.create(service, '100');
    const answers = await Promise.all(
      [owner, otherOwner, owner, otherOwner].map((buyer) =>
        buyer.post('phone-numbers/purchase', { phone_number }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400, 400]);
  });

  test('returns 402 and stores nothing if the balance is too low', async () => {
    const lowBalanceOwner = await Owner.create(service, '1.49');
    const [phone_number] = await search();
    const { status, json } = await lowBalanceOwner.post('phone-numbers/purchase', { phone_number });
    const message = 'Insufficient balance. Please top up your account.';
    assert.deepEqual([status, json], [402, { error: message, message }]);
    assert.deepEqual(await list('phone-numbers/all', lowBalanceOwner), []);
    assert.deepEqual(await readMoney(service, lowBalanceOwner.id), { balance: 1.49, ledger: 1.49 });
  });
});

test('lists all numbers, and on the legacy path those with SMS and an active subscription', async () => {
  const reader = await Owner.create(service);
  const ids = [
    await addNumber(service, reader.id),
    await addNumber(service, reader.id, { smsCapable: false }),
    await addNumber(service, reader.id, { subscribed: false }),
    await addNumber(service, reader.id, { type: 'sip' }),
    await addNumber(service, reader.id, { type: 'caller_id' }),
  ];
  const all = await list('phone-numbers/all', reader);
  assert.deepEqual(
    all.map(({ id }) => id),
    ids,
  );
  assert.deepEqual(
    all.map(({ type_label }) => type_label),
    ['Dedicated', 'Dedicated', 'Dedicated', 'SIP', 'Caller ID'],
  );
  assert.deepEqual(
    (await list('phone-numbers', reader)).map(({ id }) => id),
    ids.slice(0, 1),
  );
});

test('sets a nickname of at most 50 characters, and removes it with null', async () => {
  const id = await addNumber(service, owner.id);
  for (const nickname of ['Shop', '😀'.repeat(50), null]) {
    const { status, json } = await owner.put(`phone-numbers/${id}`, { nickname });
    assert.equal(status, 200);
    assert.equal((json['data'] as Record<string, unknown>)['nickname'], nickname);
  }
  for (const nickname of ['x'.repeat(51), 5, [], undefined]) {
    const { status, errors } = await owner.put(`phone-numbers/${id}`, { nickname });
    assert.deepEqual([status, Object.keys(errors)], [422, ['nickname']]);
  }
});

describe('releasePhoneNumber', () => {
  const assignToAssistant = async (id: number) => {
    const inbound = await owner.create('assistant', assistantBody({ type: 'inbound', phone_number_id: id }));
    return async () => (await readAssistant(owner, inbound.id))['phone_number_id'];
  };

  test('keeps a dedicated number active until the end of the paid month', async () => {
    const id = await addNumber(service, owner.id);
    const numberOfAssistant = await assignToAssistant(id);
    await pool.query("UPDATE phone_numbers SET paid_until = now() + interval '20 days' WHERE id = $1", [id]);
    const { status, json } = await owner.delete(`phone-numbers/${id}`);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(json), ['message']);
    const { rows } = await pool.query<{ days: number }>(
      'SELECT extract(day FROM release_at - now())::integer AS days FROM phone_numbers WHERE id = $1',
      [id],
    );
    assert.ok([19, 20].includes(Number(rows[0]?.days)), JSON.stringify(rows));
    await deleteReleasedNumbers({ database: service.running.database, jobs });
    assert.equal(await numberOfAssistant(), id);
    const releasing = (await list('phone-numbers/all')).find((number) => number.id === id);
    assert.equal(releasing?.['has_active_subscription'], false);
    assert.ok(String(json['message']).includes(String(releasing['release_at'])));
    assert.ok(!(await list('phone-numbers')).some((number) => number.id === id));
    const { errors } = await owner.post('assistant', assistantBody({ phone_number_id: id }));
    assert.match(errors['phone_number_id']?.[0] ?? '', /scheduled for release/);
    for (const type of ['inbound', 'outbound']) {
      const { text } = await owner.get(`assistants/phone-numbers?type=${type}`);
      assert.ok(!(JSON.parse(text) as { id: number }[]).some((number) => number.id === id), type);
    }

    const again = await owner.delete(`phone-numbers/${id}`);
    assert.deepEqual(
      [again.status, again.json],
      [400, { error: 'This phone number is already scheduled for release.' }],
    );

    await pool.query("UPDATE phone_numbers SET release_at = now() - interval '1 second' WHERE id = $1", [id]);
    assert.ok(!(await list('phone-numbers/all')).some((number) => number.id === id));
    await deleteReleasedNumbers({ database: service.running.database, jobs });
    assert.equal(await numberOfAssistant(), null);
  });

  for (const [bought, released, ends] of [
    ['2027-01-31 00:00', '2027-02-28 12:00', '2027-03-31 00:00'],
    ['2027-01-31 00:00', '2027-02-27 23:59', '2027-02-28 00:00'],
    ['2027-01-31 00:00', '2027-02-28 00:00', '2027-03-31 00:00'],
    ['2027-01-31 18:00', '2027-04-30 17:00', '2027-04-30 18:00'],
    ['2027-01-31 18:00', '2027-04-30 19:00', '2027-05-31 18:00'],
    ['2024-02-29 06:00', '2027-02-28 07:00', '2027-03-29 06:00'],
    ['2027-01-15 12:00', '2027-01-15 12:00', '2027-02-15 12:00'],
    ['2027-01-15 12:00', '2028-12-20 12:00', '2029-01-15 12:00'],
  ] as const) {
    test(`at ${released} releases a number of ${bought} at ${ends}, in every time zone of the server`, async () => {
      const timestamp = (text: string) => sql`${text}::timestamp AT TIME ZONE 'UTC'`;
      for (const zone of ['UTC', 'America/Santiago', 'Europe/Berlin', 'Pacific/Auckland']) {
        const { rows } = await db.transaction(async (tx) => {
          await tx.execute(sql`SELECT set_config('timezone', ${zone}, true)`);
          return tx.execute(
            sql`SELECT ${endOfPaidMonth(timestamp(bought), timestamp(released))} = ${timestamp(ends)} AS is_right`,
          );
        });
        assert.deepEqual(rows, [{ is_right: true }], zone);
      }
    });
  }

  test('deletes a dedicated number without a subscription immediately', async () => {
    const id = await addNumber(service, owner.id, { subscribed: false });
    const { status, json } = await owner.delete(`phone-numbers/${id}`);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(json), ['message']);
    assert.ok(!(await list('phone-numbers/all')).some((number) => number.id === id));
  });

  test('unlinks the number when it is released', async () => {
    const [kept, released] = [await addNumber(service, owner.id), await addNumber(service, owner.id)];
    const { id: assistant_id } = await owner.create('assistant', assistantBody());
    const campaign = await owner.create('campaigns', {
      name: 'Spring',
      assistant_id,
      phone_number_ids: [kept, released],
    });
    const rotation = async () => {
      const { rows } = await pool.query<{ phone_number_id: number }>(
        'SELECT phone_number_id FROM campaign_phone_numbers WHERE campaign_id = $1 ORDER BY 1',
        [campaign.id],
      );
      return rows.map(({ phone_number_id }) => phone_number_id);
    };
    assert.equal((await owner.delete(`phone-numbers/${released}`)).status, 200);
    assert.deepEqual(await rotation(), [kept, released]);
    await pool.query('UPDATE phone_numbers SET release_at = now() WHERE id = $1', [released]);
    await deleteReleasedNumbers({ database: service.running.database, jobs });
    assert.deepEqual(await rotation(), [kept]);
  });

  for (const type of ['sip', 'caller_id'] as const) {
    test(`deletes a number of type ${type} immediately`, async () => {
      const id = await addNumber(service, owner.id, { type });
      const outbound = await owner.create('assistant', assistantBody({ phone_number_id: id }));
      const numberOfAssistant = type === 'sip' ? await assignToAssistant(id) : undefined;
      assert.equal((await owner.delete(`phone-numbers/${id}`)).status, 200);
      assert.ok(!(await list('phone-numbers/all')).some((number) => number.id === id));
      assert.equal((await readAssistant(owner, outbound.id))['phone_number_id'], null);
      if (numberOfAssistant) assert.equal(await numberOfAssistant(), null);
    });
  }

  test('returns 404 for an unknown number', async () => {
    for (const id of ['0', '99999', '99999999999', 'x']) {
      for (const answer of [
        await owner.delete(`phone-numbers/${id}`),
        await owner.put(`phone-numbers/${id}`, {}),
      ]) {
        assert.deepEqual([answer.status, answer.json], [404, { error: 'Phone number not found.' }]);
      }
    }
  });
});
