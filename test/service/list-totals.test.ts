import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumTotals } from '../../src/service/db/list-totals.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { eventually } from '../support/eventually.ts';
import { addCall } from '../support/records/add-records.ts';
import { Owner } from '../support/records/owner.ts';
import { startService, testDatabase } from '../support/service/service.ts';

const service = await startService();
const { db, pool } = service.running.database;

/** Returns the total of a list, after comparing it with the records of all its pages. */
async function total(owner: Owner, list: string): Promise<number> {
  const path = `${list}${list.includes('?') ? '&' : '?'}per_page=100`;
  const { json } = await owner.get(path);
  assert.equal(json['total'], (json['data'] as unknown[]).length, list);
  return json['total'];
}

/** Creates an owner with two campaigns of two leads each. */
async function createOwner() {
  const owner = await Owner.create(service, '1');
  const assistant = await owner.create('assistant', assistantBody());
  const campaigns: number[] = [];
  for (const name of ['Spring', 'Autumn']) {
    const { id } = await owner.create('campaigns', { name, assistant_id: assistant.id });
    campaigns.push(id);
    for (const last of [1, 2])
      await owner.create('lead', { phone_number: `+491511234567${last}`, campaign_id: id });
  }
  return { owner, assistantId: assistant.id, spring: campaigns[0] ?? 0 };
}

test('totals follow records that are created, changed and deleted, by every filter', async () => {
  const { owner, spring } = await createOwner();
  assert.equal(await total(owner, 'leads'), 4);
  const { json } = await owner.get(`leads?campaign_id=${spring}`);
  const [first, second] = json['data'] as { id: number }[];
  await owner.put(`leads/${first?.id}`, { status: 'completed' });
  assert.deepEqual(
    await Promise.all(
      [`?campaign_id=${spring}`, '?status=completed', '?status=created'].map((query) =>
        total(owner, `leads${query}`),
      ),
    ),
    [2, 1, 3],
  );
  await owner.delete(`leads/${second?.id}`);
  assert.equal(await total(owner, `leads?campaign_id=${spring}&status=created`), 0);
  assert.equal(await total(owner, 'leads?phone_number=5671'), 1);
  // Leads are deleted with their campaign.
  await owner.delete(`campaign/${spring}`);
  assert.equal(await total(owner, 'leads'), 2);
  assert.equal(await total(owner, 'audit-log'), 10);
});

test('totals of calls follow the campaign and the assistant that calls outlive', async () => {
  const { owner, assistantId, spring } = await createOwner();
  const call = { userId: owner.id, assistantId, campaignId: spring, assistantName: 'A', transcript: '' };
  for (let made = 0; made < 3; made++) await addCall(service, call);
  assert.equal(await total(owner, `calls?campaign_id=${spring}&assistant_id=${assistantId}`), 3);
  await owner.delete(`campaign/${spring}`);
  assert.equal(await total(owner, `calls?campaign_id=${spring}`), 0);
  assert.equal(await total(owner, `calls?assistant_id=${assistantId}`), 3);
});

test('summing up totals does not change them, also while several processes create records', async () => {
  const { owner, spring } = await createOwner();
  const create = (number: number) =>
    owner.create('blocked-numbers', { phone_number: `+4915200000${String(number).padStart(3, '0')}` });
  await Promise.all(
    Array.from({ length: 20 }, async (_, number) => {
      await create(number);
      await sumTotals(db);
    }),
  );
  assert.equal(await total(owner, 'blocked-numbers'), 20);
  await owner.delete(`campaign/${spring}`);
  await sumTotals(db);
  assert.equal(await total(owner, 'leads'), 2);
  const stored = async () =>
    (
      await pool.query('SELECT 1 FROM list_totals WHERE user_id = $1 AND list = $2', [
        owner.id,
        'blocked_numbers',
      ])
    ).rows.length;
  await create(20);
  // Two processes that sum up at once may leave a row each.
  await eventually('a single row', async () => {
    await sumTotals(db);
    return (await stored()) === 1;
  });
  assert.equal(await total(owner, 'blocked-numbers'), 21);
});

test(
  'two processes can sum up totals at once',
  { skip: testDatabase === 'pglite' && 'one connection' },
  async () => {
    const { owner } = await createOwner();
    const other = await pool.connect();
    await other.query('BEGIN');
    // Another process is summing up these, in an order of its own.
    await other.query('SELECT 1 FROM list_totals WHERE user_id = $1 AND change = 1 LIMIT 2 FOR UPDATE', [
      owner.id,
    ]);
    await sumTotals(db);
    await other.query('ROLLBACK');
    other.release();
    assert.equal(await total(owner, 'leads'), 4);
    await sumTotals(db);
    assert.equal(await total(owner, 'leads'), 4);
  },
);
