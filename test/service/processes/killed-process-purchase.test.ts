import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Owner } from '../../support/records/owner.ts';
import { eventually } from '../../support/eventually.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import { atEnd, newDatabase, readMoney, startService } from '../../support/service/service.ts';
import { FakeTwilio, twilioSettings } from '../../support/twilio/fake-twilio.ts';

const price = 1.25;

/** Has a process buy a number at Twilio, and kills it before Twilio answers. The next process completes the purchase. */
async function buyAndKill(
  answer: 'sold' | 'lost',
  afterwards: (twilio: FakeTwilio) => void = () => undefined,
) {
  const phoneNumber = '+493023125000';
  const twilio = await FakeTwilio.start();
  atEnd(() => twilio.close());
  twilio.offers.set('DE', { Local: [phoneNumber] });
  twilio.prices.set('DE', { local: String(price) });
  const env = {
    ...(await newDatabase()),
    ...twilioSettings(twilio),
    CARRIER_COUNTRIES: 'DE',
    JOB_POLL_SECONDS: '0.5',
  };
  const setup = await startService(env);
  const owner = await Owner.create(setup, '10');
  await setup.running.close();

  twilio.nextPurchase = answer;
  const killed = await startServiceProcess(env);
  const headers = { Authorization: `Bearer ${owner.key}` };
  const request = killed.post('/api/user/phone-numbers/purchase', { phone_number: phoneNumber }, headers);
  request.catch(() => undefined);
  const purchases = () =>
    twilio.requests.filter(
      ({ method, path }) => method === 'POST' && path.endsWith('/IncomingPhoneNumbers.json'),
    ).length;
  await eventually(
    () => 'the purchase',
    () => purchases() > 0 || undefined,
  );
  killed.signal('SIGKILL');
  await killed.child.ended;
  await assert.rejects(request);
  afterwards(twilio);

  const next = await startService({ ...env, WORKERS: 'on' });
  const { pool } = next.running.database;
  await pool.query("UPDATE jobs.job SET start_after = now() WHERE name = 'complete-purchase'");
  await eventually('the end of the purchase', async () => {
    const { rows } = await pool.query('SELECT 1 FROM phone_numbers WHERE is_pending');
    return rows.length === 0 || undefined;
  });
  const { json } = await owner.at(next).get('phone-numbers/all');
  const numbers = (json['data'] as Record<string, unknown>[]).map(({ phone_number }) => phone_number);
  const owned = twilio.numbers.map((number) => number.phoneNumber);
  const { rows: entries } = await pool.query<{ kind: string; amount: string }>(
    "SELECT kind, amount FROM ledger_entries WHERE user_id = $1 AND kind IN ('charge', 'refund') ORDER BY id",
    [owner.id],
  );
  return {
    ...{ phoneNumber, numbers, owned, purchases: purchases() },
    entries: entries.map(({ kind, amount }) => [kind, Number(amount)]),
    money: await readMoney(next, owner.id),
  };
}

test('a number that Twilio sold to a killed process is bought once, paid once, and listed', async () => {
  const { phoneNumber, numbers, owned, purchases, entries, money } = await buyAndKill('sold');
  assert.deepEqual([numbers, owned, purchases], [[phoneNumber], [phoneNumber], 1]);
  assert.deepEqual(entries, [['charge', -price]]);
  assert.deepEqual(money, { balance: 10 - price, ledger: 10 - price });
});

test('a purchase of a killed process that did not reach Twilio is made by the next one', async () => {
  const { phoneNumber, numbers, owned, purchases, entries, money } = await buyAndKill('lost');
  assert.deepEqual([numbers, owned, purchases], [[phoneNumber], [phoneNumber], 2]);
  assert.deepEqual(entries, [['charge', -price]]);
  assert.deepEqual(money, { balance: 10 - price, ledger: 10 - price });
});

test('a purchase of a killed process is refunded once if Twilio then refuses it', async () => {
  const { numbers, owned, purchases, entries, money } = await buyAndKill('lost', (twilio) => {
    twilio.offers.clear();
  });
  assert.deepEqual([numbers, owned, purchases], [[], [], 2]);
  assert.deepEqual(entries, [
    ['charge', -price],
    ['refund', price],
  ]);
  assert.deepEqual(money, { balance: 10, ledger: 10 });
});
