import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { moveMoney } from '../../src/service/billing/ledger.ts';
import type { CallRunner } from '../../src/service/call/call-runner.ts';
import { failAbandonedCalls } from '../../src/service/call/outcome/fail-abandoned-calls.ts';
import { startHousekeeping } from '../../src/service/housekeeping.ts';
import type { Replies } from '../../src/service/conversation/replies.ts';
import { failAbandonedReplies } from '../../src/service/conversation/fail-abandoned-replies.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { createLog } from '../../src/service/log.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { atEnd, createAssistant, readMoney, startService, testDatabase } from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
const { db, pool } = service.running.database;
const tooLittle = { status: false, error: 'Insufficient balance. Please top up your account.' };

test('charges 0.01 USD per user message of a widget conversation, but nothing for opening', async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '0.05' });
  const conversation = await service.open(uuid);
  assert.deepEqual(await readMoney(service, userId), { balance: 0.05, ledger: 0.05 });
  await service.send(conversation, 'One');
  await service.send(conversation, 'Two');
  assert.deepEqual(await readMoney(service, userId), { balance: 0.03, ledger: 0.03 });
});

test('adds a ledger entry with the new balance for every charge', async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '0.02' });
  const conversation = await service.open(uuid);
  await service.send(conversation, 'One');
  await service.send(conversation, 'Two');
  const { rows } = await pool.query(
    'SELECT kind, amount::float, balance_after::float FROM ledger_entries WHERE user_id = $1 ORDER BY id',
    [userId],
  );
  assert.deepEqual(rows, [
    { kind: 'top_up', amount: 0.02, balance_after: 0.02 },
    { kind: 'charge', amount: -0.01, balance_after: 0.01 },
    { kind: 'charge', amount: -0.01, balance_after: 0 },
  ]);
});

test('does not charge for a test conversation, even with an empty balance', async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '0' });
  const conversation = await service.open(uuid, { type: 'test' });
  assert.equal((await service.send(conversation, 'Hi')).status, 200);
  assert.deepEqual(await readMoney(service, userId), { balance: 0, ledger: 0 });
});

test('refuses to open a widget conversation if the balance does not cover a message', async () => {
  for (const [balance, expected] of [
    ['0', 400],
    ['0.0099', 400],
    ['0.01', 200],
  ] as const) {
    const { uuid } = await createAssistant(service, { balance });
    for (const type of ['widget', undefined]) {
      const { status, json } = await service.post('/api/conversations', { assistant_id: uuid, type });
      assert.equal(status, expected, balance);
      if (expected === 400) assert.deepEqual(json, tooLittle);
    }
  }
});

test('rejects a message that the balance does not cover before the stream starts, and stores nothing', async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '0.01' });
  const conversation = await service.open(uuid);
  assert.equal((await service.send(conversation, 'Paid')).status, 200);
  for (const Accept of ['application/json', 'text/event-stream']) {
    const { status, json, headers } = await service.send(conversation, 'Unpaid', { Accept });
    assert.equal(status, 400);
    assert.deepEqual(json, tooLittle);
    assert.match(headers.get('Content-Type') ?? '', /^application\/json/);
  }
  assert.deepEqual(await service.history(conversation), ['user: Paid', 'assistant: You said: Paid']);
  assert.deepEqual(await readMoney(service, userId), { balance: 0, ledger: 0 });
});

for (const [where, conversations] of [
  ['one conversation', 1],
  ['fifty conversations', 50],
] as const) {
  test(`answers ten of fifty simultaneous messages in ${where} if the balance covers ten`, async () => {
    const { uuid, userId } = await createAssistant(service, { balance: '0.10' });
    const open = await Promise.all(Array.from({ length: conversations }, () => service.open(uuid)));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        service.send(open[index % conversations] ?? '', `Message ${index}`),
      ),
    );
    const answered = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 400);
    assert.equal(answered.length, 10);
    assert.equal(refused.length, 40);
    for (const { json } of refused) assert.deepEqual(json, tooLittle);
    assert.equal(new Set(answered.map(({ json }) => json['message'])).size, 10);
    assert.deepEqual(await readMoney(service, userId), { balance: 0, ledger: 0 });
    const lines = (await Promise.all(open.map((conversation) => service.history(conversation)))).flat();
    assert.equal(lines.length, 20);
  });
}

test("refunds a failed reply once and excludes its message from the history and the model's context", async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '0.03' });
  const conversation = await service.open(uuid);
  model.behave({ status: 400 });
  const failed = await service.send(conversation, 'Lost');
  assert.equal(failed.status, 400);
  assert.equal(failed.json['status'], false);
  assert.match(failed.json['error'] as string, /^Failed to process message: ./);
  assert.deepEqual(await readMoney(service, userId), { balance: 0.03, ledger: 0.03 });
  assert.deepEqual(await service.history(conversation), []);

  model.behave({});
  await service.send(conversation, 'Found');
  assert.deepEqual(
    model.requests.at(-1)?.messages.filter(({ role }) => role !== 'system'),
    [{ role: 'user', content: 'Found' }],
  );
  assert.deepEqual(await readMoney(service, userId), { balance: 0.02, ledger: 0.02 });
  const { rows } = await pool.query('SELECT kind FROM ledger_entries WHERE user_id = $1 ORDER BY id', [
    userId,
  ]);
  assert.deepEqual(
    rows.map(({ kind }) => kind as string),
    ['top_up', 'charge', 'refund', 'charge'],
  );
});

test('does not refund a failed reply of a test conversation', async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '0' });
  const conversation = await service.open(uuid, { type: 'test' });
  model.behave({ status: 400 });
  assert.equal((await service.send(conversation, 'Lost')).status, 400);
  model.behave({});
  assert.deepEqual(await readMoney(service, userId), { balance: 0, ledger: 0 });
});

test('calculates with exact decimal amounts', async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '0.3' });
  const conversation = await service.open(uuid);
  for (let sent = 0; sent < 30; sent++) assert.equal((await service.send(conversation, 'x')).status, 200);
  assert.equal((await service.send(conversation, 'x')).status, 400);
  assert.deepEqual(await readMoney(service, userId), { balance: 0, ledger: 0 });
});

test('never allows a negative balance', async () => {
  const { userId } = await createAssistant(service, { balance: '0.01' });
  assert.equal(await moveMoney(db, { userId, kind: 'charge', amount: '0.02' }), false);
  await assert.rejects(pool.query('UPDATE users SET balance = -1 WHERE id = $1', [userId]), {
    code: '23514',
  });
  assert.deepEqual(await readMoney(service, userId), { balance: 0.01, ledger: 0.01 });
});

test('changes the balance and the ledger together, also outside of a transaction', async () => {
  const { userId } = await createAssistant(service, { balance: '1' });
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO calls (user_id, assistant_name, type, status) VALUES ($1, 'A', 'outbound', 'completed') RETURNING id`,
    [userId],
  );
  const callId = rows[0]?.id ?? 0;
  const charge = () => moveMoney(db, { userId, kind: 'charge', amount: '0.1', callId, callMinute: 1 });
  await charge();
  // A minute is charged once.
  await assert.rejects(charge);
  assert.deepEqual(await readMoney(service, userId), { balance: 0.9, ledger: 0.9 });
});

/** Creates an owner with 1 USD and a message for one cent whose process died before the reply; returns the owner's id. */
async function createAbandonedMessage(): Promise<number> {
  const { uuid, userId } = await createAssistant(service, { balance: '1' });
  const conversation = await service.open(uuid);
  await service.send(conversation, 'Lost');
  await pool.query(
    `UPDATE messages SET reply_state = 'pending', reply_owner = gen_random_uuid(), reply_lease_until = now() - interval '1 hour'
     WHERE role = 'user' AND conversation_id = (SELECT id FROM conversations WHERE uuid = $1)`,
    [conversation],
  );
  return userId;
}

const fullBalance = { balance: 1, ledger: 1 };

test('refunds the work of dead processes once, even if several processes handle it', async () => {
  const userId = await createAbandonedMessage();
  const caller = await createAssistant(service, { balance: '1' });
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO calls (user_id, assistant_id, assistant_name, type, status, total_cost, lease_owner, lease_until)
     VALUES ($1, $2, 'A', 'outbound', 'in-progress', 0.1, gen_random_uuid(), now() - interval '1 hour') RETURNING id`,
    [caller.userId, caller.id],
  );
  const callId = rows[0]?.id ?? 0;
  await moveMoney(db, { userId: caller.userId, kind: 'charge', amount: '0.1', callId, callMinute: 1 });
  const jobs = new StoredJobs(service.running.database);
  const sweep = async () => {
    await failAbandonedReplies(service.running.database);
    await failAbandonedCalls({ database: service.running.database, jobs });
  };
  await Promise.all([sweep(), sweep(), sweep()]);
  // The housekeeping of the service may be refunding one of them.
  for (const id of [userId, caller.userId]) {
    while ((await readMoney(service, id)).balance < 1) continue;
  }
  await sweep();
  assert.deepEqual(await readMoney(service, userId), fullBalance);
  assert.deepEqual(await readMoney(service, caller.userId), fullBalance);
  const ends = await pool.query(
    "SELECT 1 FROM jobs.job WHERE name = 'call-ended' AND data ->> 'callId' = $1",
    [String(callId)],
  );
  assert.equal(ends.rows.length, 1);
});

test(
  'does not block other accounts while the refund of one account waits',
  { skip: testDatabase === 'pglite' && 'an embedded database has one transaction at a time' },
  async () => {
    const [first, second] = [await createAbandonedMessage(), await createAbandonedMessage()];
    let sweep: Promise<number> | undefined;
    await db.transaction(async (tx) => {
      await moveMoney(tx, { userId: second, kind: 'top_up', amount: '1' });
      sweep = failAbandonedReplies(service.running.database);
      for (let isWaiting = false; !isWaiting;) {
        isWaiting = (await pool.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length > 0;
      }
      await moveMoney(tx, { userId: first, kind: 'top_up', amount: '1' });
    });
    await sweep;
    for (const userId of [first, second]) {
      let money = await readMoney(service, userId);
      // The housekeeping of the service may be refunding one of them.
      while (money.balance < 2) money = await readMoney(service, userId);
      assert.deepEqual(money, { balance: 2, ledger: 2 });
    }
  },
);

test('continues housekeeping after a task has failed', async (t) => {
  const userId = await createAbandonedMessage();
  await pool.query("UPDATE heartbeat SET last_at = now(), steady_since = '-infinity'");
  t.mock.timers.enable({ apis: ['setInterval'] });
  let renewed = 0;
  const stop = startHousekeeping({
    database: service.running.database,
    jobs: new StoredJobs(service.running.database),
    replies: {
      lease: { owner: randomUUID(), milliseconds: 3000 },
      renewLeases: () => Promise.reject(new Error('away for a moment')),
    } as unknown as Replies,
    calls: { renewLeases: () => Promise.resolve(void (renewed += 1)) } as unknown as CallRunner,
    carrier: {},
    log: createLog('silent'),
  });
  t.mock.timers.tick(1000);
  await stop();
  assert.equal(renewed, 1);
  assert.deepEqual(await readMoney(service, userId), fullBalance);
});
