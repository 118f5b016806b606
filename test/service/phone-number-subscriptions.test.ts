import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { moveMoney } from '../../src/service/billing/ledger.ts';
import { deleteReleasedNumbers } from '../../src/service/phone-number/release-number.ts';
import { renewSubscriptions } from '../../src/service/phone-number/renew-subscriptions.ts';
import { runCli } from '../../src/service/cli/run-cli.ts';
import { removeCallerId } from '../../src/service/phone-number/remove-caller-id.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { many } from '../support/records/field-table.ts';
import { Owner } from '../support/records/owner.ts';
import { addNumber } from '../support/records/add-records.ts';
import { atEnd, readMoney, startService } from '../support/service/service.ts';
import { publicUrl, FakeTwilio, twilioSettings } from '../support/twilio/fake-twilio.ts';
import { isPending } from '../support/service/is-pending.ts';

const service = await startService();
const { pool, db } = service.running.database;
const jobs = new StoredJobs(service.running.database);

const numbersOf = async (of: Owner) =>
  (await of.get('phone-numbers/all')).json['data'] as (Record<string, unknown> & { id: number })[];

describe('the subscription of a number', () => {
  const { signal } = new AbortController();
  /** Creates an owner with a balance and a number at 1.50 whose paid month ended some time ago. */
  const due = async (balance: string, since = '1 hour') => {
    const subscriber = await Owner.create(service, balance);
    const id = await addNumber(service, subscriber.id);
    await pool.query(
      `UPDATE phone_numbers SET paid_until = now() - $2::interval,
         created_at = now() - $2::interval - interval '3 months' WHERE id = $1`,
      [id, since],
    );
    const state = async () => {
      const [number] = await numbersOf(subscriber);
      const { rows } = await pool.query<{ paid: boolean; week: boolean }>(
        `SELECT paid_until > now() AS paid, release_at > now() + interval '6 days' AS week
         FROM phone_numbers WHERE id = $1`,
        [id],
      );
      const { balance, ledger } = await readMoney(service, subscriber.id);
      assert.equal(balance, ledger);
      return [number?.['has_active_subscription'], rows[0]?.paid, rows[0]?.week ?? null, balance];
    };
    return { subscriber, id, state };
  };

  test('is renewed once at the end of a month, regardless of the number of processes', async () => {
    const { state } = await due('4');
    const counts = await Promise.all(
      [1, 2, 3].map(() => renewSubscriptions(service.running.database, signal)),
    );
    assert.deepEqual(await state(), [true, true, null, 2.5]);
    assert.ok(counts.reduce((sum, { renewed }) => sum + renewed, 0) >= 1);
    await renewSubscriptions(service.running.database, signal);
    assert.deepEqual(await state(), [true, true, null, 2.5]);
  });

  test('is charged for months in which no worker ran', async () => {
    const { subscriber, state } = await due('6', '70 days');
    await renewSubscriptions(service.running.database, signal);
    assert.deepEqual(await state(), [true, true, null, 1.5]);
    const { rows } = await pool.query<{ amount: string }>(
      "SELECT amount::float FROM ledger_entries WHERE user_id = $1 AND kind = 'charge'",
      [subscriber.id],
    );
    assert.deepEqual(
      rows.map(({ amount }) => amount),
      [-1.5, -1.5, -1.5],
    );
  });

  test('is charged month by month as far as the balance allows', async () => {
    const { subscriber, state } = await due('4', '70 days');
    await renewSubscriptions(service.running.database, signal);
    assert.deepEqual(await state(), [false, false, true, 1]);
    await renewSubscriptions(service.running.database, signal);
    assert.deepEqual(await state(), [false, false, true, 1]);
    await moveMoney(db, { userId: subscriber.id, kind: 'top_up', amount: '0.50' });
    await renewSubscriptions(service.running.database, signal);
    assert.deepEqual(await state(), [true, true, null, 0]);
  });

  test('ends a week after a month that cannot be paid, unless it is paid by then', async () => {
    const { subscriber, state } = await due('1.49');
    await renewSubscriptions(service.running.database, signal);
    assert.deepEqual(await state(), [false, false, true, 1.49]);
    const until = (await numbersOf(subscriber))[0]?.['release_at'];
    await renewSubscriptions(service.running.database, signal);
    assert.equal((await numbersOf(subscriber))[0]?.['release_at'], until);
    await moveMoney(db, { userId: subscriber.id, kind: 'top_up', amount: '0.01' });
    await renewSubscriptions(service.running.database, signal);
    assert.deepEqual(await state(), [true, true, null, 0]);
  });

  test('ends with a release request if a month is unpaid, also if it could be paid later', async () => {
    const { subscriber, id, state } = await due('1.49');
    await renewSubscriptions(service.running.database, signal);
    assert.deepEqual(await state(), [false, false, true, 1.49]);
    const [number] = await numbersOf(subscriber);
    const { status, json } = await subscriber.delete(`phone-numbers/${id}`);
    assert.deepEqual([status, json['message']], [200, 'Phone number released successfully.']);
    assert.deepEqual(await numbersOf(subscriber), []);
    assert.equal(
      await isPending(jobs, 'release-number', { phoneNumber: String(number?.['phone_number']) }),
      true,
    );
    await moveMoney(db, { userId: subscriber.id, kind: 'top_up', amount: '0.01' });
    await renewSubscriptions(service.running.database, signal);
    assert.deepEqual(await readMoney(service, subscriber.id), { balance: 1.5, ledger: 1.5 });
  });

  test('is not renewed after a release request', async () => {
    const { subscriber, id } = await due('4', '0 seconds');
    assert.equal((await subscriber.delete(`phone-numbers/${id}`)).status, 200);
    await renewSubscriptions(service.running.database, signal);
    await deleteReleasedNumbers({ database: service.running.database, jobs });
    assert.deepEqual(await numbersOf(subscriber), []);
    assert.deepEqual(await readMoney(service, subscriber.id), { balance: 4, ledger: 4 });
  });
});

const run = async (args: string[], env: Record<string, string> = {}) => {
  const written = { out: '', err: '' };
  const streams = {
    out: (text: string) => (written.out += text),
    err: (text: string) => (written.err += text),
  };
  const code = await runCli(['numbers', ...args], env, streams, service.running.database);
  return { code, ...written };
};
const add = (args: string[], env?: Record<string, string>) => run(['add', ...args], env);
const addTo = (owner: Owner, number: string, type: string, env?: Record<string, string>) =>
  add(['--user', String(owner.id), '--number', number, '--type', type], env);

describe('a number that was bought in the Twilio Console', () => {
  test('is added only if the account owns it, points at the service, and stays there if its user deletes it', async () => {
    const twilio = await FakeTwilio.start();
    atEnd(() => twilio.close());
    const env = { ...twilioSettings(twilio), CARRIER_COUNTRIES: 'DE' };
    const owner = await Owner.create(service, '1');
    // Longer by a digit: Twilio finds it, too.
    twilio.own('+4930999000111', 'https://elsewhere.example');
    const refused = await addTo(owner, '+493099900011', 'normal', env);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /The Twilio account does not own \+493099900011/);
    assert.deepEqual(await numbersOf(owner), []);

    twilio.own('+493099900011', 'https://elsewhere.example');
    const { code, err } = await addTo(owner, '+493099900011', 'normal', env);
    assert.deepEqual([code, err], [0, '']);
    assert.deepEqual(
      twilio.numbers.map(({ voiceUrl }) => voiceUrl),
      ['https://elsewhere.example', `${publicUrl}/api/carrier/twilio/incoming`],
    );
    const [number] = await numbersOf(owner);
    assert.deepEqual([number?.['type'], number?.['has_active_subscription']], ['normal', false]);
    assert.deepEqual(await readMoney(service, owner.id), { balance: 1, ledger: 1 });
    assert.equal((await owner.delete(`phone-numbers/${String(number?.id)}`)).status, 200);
    assert.equal(await isPending(jobs, 'release-number', { phoneNumber: '+493099900011' }), false);
  });

  test('is pointed at the service again after a change of PUBLIC_URL', async () => {
    const twilio = await FakeTwilio.start();
    atEnd(() => twilio.close());
    const env = { ...twilioSettings(twilio), CARRIER_COUNTRIES: 'DE' };
    const owner = await Owner.create(service);
    for (const number of ['+493099900013', '+493099900014']) twilio.own(number);
    await addTo(owner, '+493099900013', 'normal', env);
    // Not a number of the Twilio account.
    await addNumber(service, owner.id);
    const { code, out } = await run(['point'], { ...env, PUBLIC_URL: 'https://new.example' });
    assert.equal(code, 1);
    assert.match(out, /\+493099900013 +points here/);
    const [, other] = await numbersOf(owner);
    const number = String(other?.['phone_number']);
    assert.ok(out.includes(`${number}  The Twilio account does not own ${number}`), out);
    assert.deepEqual(
      twilio.numbers.map(({ voiceUrl }) => new URL(voiceUrl).origin),
      ['https://new.example', publicUrl],
    );
  });

  test('cannot be added or pointed at the service without Twilio', async () => {
    assert.match((await run(['point'])).err, /Set CARRIER=twilio/);
    const { code, err } = await addTo(await Owner.create(service), '+493099900012', 'normal');
    assert.equal(code, 1);
    assert.match(err, /Set CARRIER=twilio/);
  });
});

describe('a SIP or Caller ID number', () => {
  test('is added on the command line, free of charge', async () => {
    const owner = await Owner.create(service, '1');
    assert.deepEqual((await addTo(owner, '+49 30 9990001', 'sip')).code, 0);
    const callerId = await addTo(owner, '+14155550100', 'caller_id');
    const numbers = await numbersOf(owner);
    assert.deepEqual(
      numbers.map(({ phone_number, country_code, type, type_label, has_active_subscription }) => [
        ...[phone_number, country_code, type, type_label, has_active_subscription],
      ]),
      [
        ['+49309990001', 'DE', 'sip', 'SIP', false],
        ['+14155550100', 'US', 'caller_id', 'Caller ID', false],
      ],
    );
    assert.equal(callerId.out, `Added +14155550100 with the id ${numbers[1]?.id}.`);
    assert.deepEqual(await readMoney(service, owner.id), { balance: 1, ledger: 1 });
  });

  test('is verified by Twilio if it is a Caller ID', async () => {
    const twilio = await FakeTwilio.start();
    atEnd(() => twilio.close());
    const env = { ...twilioSettings(twilio), CARRIER_COUNTRIES: 'DE' };
    const owner = await Owner.create(service);
    const number = '+49309990005';
    const unverified = await addTo(owner, number, 'caller_id', env);
    const code = twilio.validationCodes.get(number) ?? '';
    assert.deepEqual(
      [unverified.code, unverified.err],
      [1, `Twilio is calling ${number}. Enter the code ${code} on that phone, then run this command again.`],
    );
    assert.deepEqual(await numbersOf(owner), []);
    twilio.enterCode(number, code);
    assert.equal((await addTo(owner, number, 'caller_id', env)).code, 0);
    twilio.own('+49309990006');
    assert.equal((await addTo(owner, '+49309990006', 'caller_id', env)).code, 0);
    assert.deepEqual([...twilio.validationCodes.keys()], [number]);
  });

  test('belongs to one account if it is SIP, and to several if it is a Caller ID', async () => {
    const [owner, other] = [await Owner.create(service), await Owner.create(service)];
    assert.equal((await addTo(owner, '+49309990002', 'sip')).code, 0);
    const taken = await addTo(other, '+49309990002', 'sip');
    assert.equal(taken.code, 1);
    assert.match(
      taken.err,
      /^This number already belongs to an account\. A number can belong to only one account\.$/,
    );
    assert.equal((await addTo(other, '+49309990002', 'caller_id')).code, 0);
    const again = await addTo(other, '+49309990002', 'caller_id');
    assert.deepEqual([again.code, again.err], [1, 'The user already has this number.']);
  });

  test('is rejected with an invalid number, type, user or country', async () => {
    const owner = await Owner.create(service);
    for (const [number, type, message] of [
      ['030 123', 'sip', /"030 123" is not a phone number in E\.164 format/],
      ['+49309990003', 'rented', /--type must be normal, sip or caller_id/],
      ['+88312345678', 'sip', /The country of \+88312345678 is unknown\. Set it with --country <code>/],
    ] as const) {
      const { code, err } = await addTo(owner, number, type);
      assert.equal(code, 2);
      assert.match(err, message);
    }
    const nobody = await add(['--user', '999999', '--number', '+49309990003', '--type', 'sip']);
    assert.equal(nobody.code, 1);
    assert.match(nobody.err, /^There is no user "999999"/);
    const named = ['--user', String(owner.id), '--number', '+88312345678', '--type', 'sip', '--country'];
    assert.equal((await add([...named, 'Germany'])).code, 2);
    assert.equal((await add([...named, 'de'])).code, 0);
    assert.deepEqual((await numbersOf(owner))[0]?.['country_code'], 'DE');
  });

  test('is removed from the carrier if it is a Caller ID and its last account releases it', async () => {
    const number = '+49309990004';
    const [owner, other] = [await Owner.create(service), await Owner.create(service)];
    for (const each of [owner, other]) await addTo(each, number, 'caller_id');
    const released: string[] = [];
    const carrier = {
      removeCallerId: (callerId: string) => Promise.resolve(void released.push(callerId)),
    };
    const release = async (from: Owner) => {
      const [{ id } = { id: 0 }] = await numbersOf(from);
      assert.equal((await from.delete(`phone-numbers/${id}`)).status, 200);
      const { rows } = await pool.query<{ data: { phoneNumber: string } }>(
        "DELETE FROM jobs.job WHERE name = 'remove-caller-id' RETURNING data",
      );
      assert.deepEqual(rows, [{ data: { phoneNumber: number } }]);
      await removeCallerId({ database: service.running.database, carrier }, number);
    };
    await release(owner);
    assert.deepEqual(released, []);
    await release(other);
    assert.deepEqual(released, [number]);
  });
});

describe("an assistant's phone number", async () => {
  const owner = await Owner.create(service);
  const otherOwner = await Owner.create(service);
  const create = (more: Record<string, unknown> = {}) => owner.create('assistant', assistantBody(more));
  const refused = async (number: number, type: string) =>
    (await owner.post('assistant', assistantBody({ type, phone_number_id: number }))).errors[
      'phone_number_id'
    ];

  test('must belong to the account', async () => {
    assert.deepEqual(await refused(await addNumber(service, otherOwner.id), 'outbound'), [
      'The selected phone number id is invalid.',
    ]);
  });

  test('must not be a Caller ID for an inbound assistant', async () => {
    const number = await addNumber(service, owner.id, { type: 'caller_id' });
    assert.match((await refused(number, 'inbound'))?.[0] ?? '', /Caller ID/);
    assert.equal(await refused(number, 'outbound'), undefined);
  });

  test('is assigned to one inbound assistant at most, until that is deleted', async () => {
    const number = await addNumber(service, owner.id);
    const { id } = await create({ type: 'inbound', phone_number_id: number });
    assert.match((await refused(number, 'inbound'))?.[0] ?? '', /another inbound assistant/);
    assert.equal(await refused(number, 'outbound'), undefined);
    await owner.delete(`assistant/${id}`);
    assert.equal(await refused(number, 'inbound'), undefined);
  });

  test('is assigned to one of two inbound assistants that request it simultaneously', async () => {
    const number = await addNumber(service, owner.id);
    const body = assistantBody({ type: 'inbound', phone_number_id: number });
    const answers = await Promise.all(many(4, body).map((input) => owner.post('assistant', input)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422]);
    for (const { status, errors } of answers) {
      if (status === 422) assert.deepEqual(Object.keys(errors), ['phone_number_id']);
    }
  });
});
