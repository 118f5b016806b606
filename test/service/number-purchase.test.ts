import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CarrierError } from '../../src/service/carrier/carrier-error.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { createLog } from '../../src/service/log.ts';
import { completePurchase, purchasePhoneNumber } from '../../src/service/phone-number/purchase.ts';
import { deleteReleasedNumbers, releaseAtCarrier } from '../../src/service/phone-number/release-number.ts';
import { Refusal } from '../../src/service/lib/refusal.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { eventually } from '../support/eventually.ts';
import { FakeCarrierNumbers } from '../support/servers/fake-carrier-numbers.ts';
import { newDatabase, readMoney, startService } from '../support/service/service.ts';
import { isPending } from '../support/service/is-pending.ts';

const shop = new FakeCarrierNumbers(
  Array.from({ length: 30 }, (_, index) => `+49302312${String(5000 + index)}`),
);
const service = await startService({}, { numbers: shop });
const { database } = service.running;
const jobs = new StoredJobs(database);
const dependencies = { database, jobs, numbers: shop, log: createLog('silent') };

const firstOffer = async (owner: Owner) => {
  const { json } = await owner.get('phone-numbers/search');
  return (json['data'] as Record<string, unknown>[])[0] ?? {};
};
const buy = async (owner: Owner, number?: string) => {
  const phone_number = number ?? String((await firstOffer(owner))['phone_number']);
  return { phone_number, ...(await owner.post('phone-numbers/purchase', { phone_number })) };
};
const numbersOf = async (owner: Owner) => {
  const { json } = await owner.get('phone-numbers/all');
  return (json['data'] as Record<string, unknown>[]).map(({ phone_number }) => phone_number);
};
const money = async (owner: Owner) => {
  const { balance, ledger } = await readMoney(service, owner.id);
  assert.equal(balance, ledger);
  return balance;
};
/** Reserves a number in a process that dies before the carrier answers. */
const reserveAndDie = async (owner: Owner, phoneNumber: string) => {
  const before = new Set(shop.answers);
  assert.equal(before.size, 0);
  shop.answers.push('lost');
  const purchase = purchasePhoneNumber(dependencies, owner.id, phoneNumber, (work) => work(database), 0);
  await assert.rejects(purchase, (error: unknown) => error instanceof Refusal && error.status === 503);
  // Otherwise a later request of the test could get this answer.
  await eventually('the request to the carrier', () => shop.answers.length === 0);
};
const pendingId = async (owner: Owner) => {
  const { rows } = await database.pool.query<{ id: number }>(
    'SELECT id FROM phone_numbers WHERE user_id = $1 AND is_pending',
    [owner.id],
  );
  return rows[0]?.id ?? 0;
};

describe('searchPhoneNumbers', () => {
  test('returns the carrier’s reason if it refuses a search', async () => {
    const owner = await Owner.create(service);
    const search = shop.search.bind(shop);
    const message = 'Twilio refuses the credentials.';
    shop.search = () => Promise.reject(new CarrierError(message));
    const { status, json } = await owner.get('phone-numbers/search');
    shop.search = search;
    assert.deepEqual([status, json], [503, { error: message, message }]);
  });

  test("returns the carrier's numbers with their prices", async () => {
    const owner = await Owner.create(service);
    assert.deepEqual(await firstOffer(owner), {
      phone_number: '+493023125000',
      phone_number_formatted: '+49 30 23125000',
      country_code: 'DE',
      price: 1.25,
      address_requirements: 'any',
      sms_capable: true,
    });
  });
});

describe('purchasePhoneNumber', () => {
  test("buys the number at the carrier and charges the carrier's price", async () => {
    const owner = await Owner.create(service, '10');
    const { phone_number, status } = await buy(owner);
    assert.equal(status, 201);
    assert.ok(shop.sold.has(phone_number));
    assert.deepEqual([await numbersOf(owner), await money(owner)], [[phone_number], 8.75]);
  });

  test('is listed in the audit log with the id of the number', async () => {
    const owner = await Owner.create(service, '10');
    const { json } = await buy(owner);
    const audit = (await owner.get('audit-log')).json['data'] as Record<string, unknown>[];
    assert.deepEqual(
      audit.map(({ operation, object, object_id }) => [operation, object, object_id]),
      [['purchasePhoneNumber', 'phone-number', String((json['data'] as { id: number }).id)]],
    );
  });

  test('sends the carrier no request if the balance is too low', async () => {
    const owner = await Owner.create(service, '1.24');
    const { phone_number, status } = await buy(owner);
    assert.equal(status, 402);
    assert.ok(!shop.sold.has(phone_number));
    assert.equal(await money(owner), 1.24);
  });

  test('refunds the price if the carrier refuses, and returns its reason', async () => {
    const owner = await Owner.create(service, '10');
    shop.answers.push('refuse');
    const { status, json } = await buy(owner);
    const message = 'The number is gone.';
    assert.deepEqual([status, json], [400, { error: message, message }]);
    assert.deepEqual([await numbersOf(owner), await money(owner)], [[], 10]);
  });

  test('returns 503 and lists no number while the carrier’s answer is unknown', async () => {
    const owner = await Owner.create(service, '10');
    shop.answers.push('fail');
    const { phone_number, status } = await buy(owner);
    assert.equal(status, 503);
    assert.deepEqual([await numbersOf(owner), await money(owner)], [[], 8.75]);
    const id = await pendingId(owner);
    const { status: refused } = await owner.post('assistant', assistantBody({ phone_number_id: id }));
    assert.equal(refused, 422);
    assert.equal((await owner.delete(`phone-numbers/${id}`)).status, 404);
    assert.ok(await isPending(jobs, 'complete-purchase', { phoneNumberId: id }));

    assert.equal(await completePurchase(dependencies, id), 'bought');
    assert.deepEqual([await numbersOf(owner), await money(owner)], [[phone_number], 8.75]);
  });

  for (const [answer, numbers, balance] of [
    [undefined, 1, 8.75],
    ['refuse', 0, 10],
  ] as const) {
    test(`is completed once by a job if its process dies, and the carrier ${answer ?? 'sells'}`, async () => {
      const owner = await Owner.create(service, '10');
      await reserveAndDie(owner, String((await firstOffer(owner))['phone_number']));
      const id = await pendingId(owner);
      if (answer) shop.answers.push(answer);
      await completePurchase(dependencies, id);
      await completePurchase(dependencies, id);
      assert.deepEqual([(await numbersOf(owner)).length, await money(owner)], [numbers, balance]);
    });
  }

  test('sells a number to one of several simultaneous buyers', async () => {
    const buyers = await Promise.all(Array.from({ length: 4 }, () => Owner.create(service, '10')));
    const phone_number = String((await firstOffer(buyers[0] as Owner))['phone_number']);
    const answers = await Promise.all(buyers.map((buyer) => buy(buyer, phone_number)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400, 400]);
    const balances = await Promise.all(buyers.map(money));
    assert.deepEqual(balances.sort(), [10, 10, 10, 8.75]);
  });

  test('releases a number that the carrier sold after another process had refunded it', async () => {
    const owner = await Owner.create(service, '10');
    const phone_number = String((await firstOffer(owner))['phone_number']);
    await reserveAndDie(owner, phone_number);
    const id = await pendingId(owner);
    const slow = new FakeCarrierNumbers([]);
    slow.buy = async () => {
      shop.answers.push('refuse');
      assert.notEqual(await completePurchase(dependencies, id), 'bought');
      shop.sold.add(phone_number);
    };
    assert.notEqual(await completePurchase({ ...dependencies, numbers: slow }, id), 'bought');
    assert.ok(await isPending(jobs, 'release-number', { phoneNumber: phone_number }));
    await releaseAtCarrier(dependencies, phone_number);
    assert.ok(!shop.sold.has(phone_number));
    assert.equal(await money(owner), 10);
  });
});

describe('releasePhoneNumber', () => {
  const ownNumber = async () => {
    const owner = await Owner.create(service, '10');
    const { phone_number, json } = await buy(owner);
    return { owner, phone_number, id: (json['data'] as { id: number }).id };
  };

  test('releases the number at the carrier at the end of the paid month', async () => {
    const { owner, phone_number, id } = await ownNumber();
    await owner.delete(`phone-numbers/${id}`);
    await deleteReleasedNumbers(dependencies);
    assert.deepEqual(await numbersOf(owner), [phone_number]);
    await database.pool.query('UPDATE phone_numbers SET release_at = now() WHERE id = $1', [id]);
    await deleteReleasedNumbers(dependencies);
    assert.ok(await isPending(jobs, 'release-number', { phoneNumber: phone_number }));
    await releaseAtCarrier(dependencies, phone_number);
    assert.ok(!shop.sold.has(phone_number));
  });

  test('does not release a number that an account has purchased again', async () => {
    const { phone_number } = await ownNumber();
    await releaseAtCarrier(dependencies, phone_number);
    assert.ok(shop.sold.has(phone_number));
  });
});

test('background jobs complete a purchase and release a number, also after failures of the carrier', async () => {
  const carrier = new FakeCarrierNumbers(['+493023125100']);
  const working = await startService(
    { ...(await newDatabase()), WORKERS: 'on', JOB_POLL_SECONDS: '0.5' },
    { numbers: carrier },
  );
  const owner = await Owner.create(working, '10');
  carrier.answers.push('fail');
  assert.equal((await buy(owner)).status, 503);
  // The job waits a minute for the process that made the request.
  await working.running.database.pool.query(
    "UPDATE jobs.job SET start_after = now() WHERE name = 'complete-purchase'",
  );
  const id = await eventually('the purchase to be completed', async () => {
    const { json } = await owner.get('phone-numbers/all');
    return (json['data'] as { id: number }[])[0]?.id;
  });
  carrier.releaseAnswers.push('fail');
  await working.running.database.pool.query(
    'UPDATE phone_numbers SET has_active_subscription = false WHERE id = $1',
    [id],
  );
  assert.equal((await owner.delete(`phone-numbers/${id}`)).status, 200);
  await eventually('the failed release', () =>
    Promise.resolve(carrier.releaseAnswers.length === 0 ? true : undefined),
  );
  await working.running.database.pool.query(
    "UPDATE jobs.job SET start_after = now() WHERE name = 'release-number'",
  );
  await eventually('the release', () => carrier.sold.size === 0);
});
