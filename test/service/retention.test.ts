import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { readConfig } from '../../src/service/config.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { describeError } from '../../src/service/log.ts';
import { runHourlyMaintenance, sendHourlyMaintenance } from '../../src/service/hourly-maintenance.ts';
import { deleteOldConversations } from '../../src/service/retention/delete-old-records.ts';
import { visit } from '../support/calls/web-visitor.ts';
import { addNumber } from '../support/records/add-records.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import {
  createAssistant,
  newDatabase,
  readMoney,
  startService,
  testDatabase,
} from '../support/service/service.ts';
import { eventually } from '../support/eventually.ts';

const service = await startService({
  ...(await newDatabase()),
  WORKERS: 'on',
  RETENTION_DAYS: '30',
  AUDIT_DAYS: '30',
});
const { database } = service.running;
const { pool } = database;

/** Runs the hourly maintenance. */
async function maintain(): Promise<void> {
  await pool.query("DELETE FROM jobs.job WHERE name = 'hourly-maintenance' AND state = 'completed'");
  await sendHourlyMaintenance(new StoredJobs(database));
  // Polls, because a job of another sender does not wake the workers of an embedded database.
  for (;;) {
    const { rows } = await pool.query(
      "SELECT 1 FROM jobs.job WHERE name = 'hourly-maintenance' AND state = 'completed'",
    );
    if (rows.length > 0) return;
    await turn();
  }
}

test('deletes no old records by default', () => {
  assert.equal(readConfig({}).retentionDays, undefined);
  assert.equal(readConfig({ RETENTION_DAYS: '7' }).retentionDays, 7);
});

test('deletes entries of the audit log after AUDIT_DAYS', async () => {
  assert.equal(readConfig({}).auditDays, 365);
  assert.equal(readConfig({ AUDIT_DAYS: '0' }).auditDays, undefined);
  const owner = await Owner.create(service);
  for (const name of ['old', 'recent']) await owner.create('knowledgebases', { name });
  const readIds = async () =>
    ((await owner.get('audit-log')).json['data'] as { id: number }[]).map(({ id }) => id);
  const [recent, old] = await readIds();
  await pool.query(
    "UPDATE audit_log SET created_at = now() - CASE id WHEN $1 THEN interval '31 days' ELSE interval '29 days' END",
    [old],
  );
  await maintain();
  assert.deepEqual(await readIds(), [recent]);
});

test('deletes old conversations and calls, but keeps their ledger entries', async () => {
  const { uuid, userId, id: assistantId } = await createAssistant(service, { balance: '1' });
  const [old, recent, answering, calling] = [
    await service.open(uuid),
    await service.open(uuid),
    await service.open(uuid),
    await service.open(uuid),
  ];
  for (const conversation of [old, recent, answering, calling]) await service.send(conversation, 'Hello');
  await pool.query(
    "UPDATE conversations SET updated_at = now() - CASE uuid WHEN $2 THEN interval '29 days' ELSE interval '31 days' END WHERE uuid = ANY ($1)",
    [[old, recent, answering, calling], recent],
  );
  await pool.query(
    "UPDATE messages SET reply_state = 'pending', reply_owner = gen_random_uuid(), reply_lease_until = now() + interval '1 day' WHERE role = 'user' AND conversation_id = (SELECT id FROM conversations WHERE uuid = $1)",
    [answering],
  );
  const { rows: calls } = await pool.query<{ id: number }>(
    `INSERT INTO calls (user_id, assistant_id, assistant_name, type, status, created_at, ended_at)
     SELECT $1, $2, 'A', 'outbound', status, now() - age * interval '1 day', now() - age * interval '1 day'
     FROM (VALUES ('completed', 31), ('completed', 29), ('in-progress', 31)) AS given (status, age) RETURNING id`,
    [userId, assistantId],
  );
  // The visitor has come back after the retention time, to talk.
  await pool.query(
    "UPDATE calls SET conversation_id = (SELECT id FROM conversations WHERE uuid = $1) WHERE status = 'in-progress'",
    [calling],
  );
  await pool.query("UPDATE calls SET lease_until = now() + interval '1 day' WHERE status = 'in-progress'");
  await pool.query("UPDATE calls SET carrier_recording_id = 'recording-' || id");
  const money = await readMoney(service, userId);
  await maintain();
  const { rows: remaining } = await pool.query<{ uuid: string }>(
    'SELECT uuid FROM conversations WHERE uuid = ANY ($1)',
    [[old, recent, answering, calling]],
  );
  assert.deepEqual(remaining.map((row) => row.uuid).sort(), [recent, answering, calling].sort());
  assert.equal((await service.get(`/api/conversations/${old}`)).status, 404);
  const { rows: kept } = await pool.query('SELECT id FROM calls ORDER BY id');
  assert.deepEqual(
    kept,
    calls.slice(1).map(({ id }) => ({ id })),
  );
  assert.deepEqual(await readMoney(service, userId), money);
  // The carrier deletes its recording of the call.
  const { rows: deleted } = await pool.query(
    "SELECT data->>'recordingId' AS recording FROM jobs.job WHERE name = 'delete-recording'",
  );
  assert.deepEqual(deleted, [{ recording: `recording-${String(calls[0]?.id)}` }]);
});

test(
  'keeps an old conversation whose visitor starts a call while it looks for old ones',
  { skip: testDatabase === 'pglite' && 'an embedded database runs one statement at a time' },
  async () => {
    const visitor = await visit({ env: await newDatabase() });
    const { db, pool: shared } = visitor.service.running.database;
    await shared.query('UPDATE assistants SET conversation_ended_retrigger = true');
    await shared.query("UPDATE conversations SET updated_at = now() - interval '31 days'");
    const holder = await shared.connect();
    await holder.query('SELECT pg_advisory_lock(1)');
    // The statement has begun, but waits before it looks at the first conversation.
    const days = sql<number>`(30 + length(pg_advisory_xact_lock_shared(1)::text))` as unknown as number;
    const deletion = deleteOldConversations(db, days, new AbortController().signal);
    try {
      await eventually('the deletion to wait', async () => {
        const { rows } = await shared.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory'");
        return rows.length > 0;
      });
      assert.equal((await visitor.call()).status, 201);
    } finally {
      await holder.query('SELECT pg_advisory_unlock(1)');
      holder.release();
    }
    assert.equal(await deletion, 0);
    assert.equal((await visitor.hangUp()).status, 200);
    assert.equal((await visitor.calls()).length, 1);
  },
);

test('sends a lost campaign tick again in the next hourly maintenance and at a start', async () => {
  const owner = await Owner.create(service, '1');
  const assistant = await owner.create('assistant', assistantBody());
  const fields = { name: 'Spring', assistant_id: assistant.id, max_calls_in_parallel: 1 };
  const { id } = await owner.create('campaigns', fields);
  const start = () => owner.post('campaigns/update-status', { campaign_id: id, action: 'start' });
  const completed = () =>
    eventually('the campaign to be completed', async () => {
      const { rows } = await pool.query("SELECT 1 FROM campaigns WHERE id = $1 AND status = 'completed'", [
        id,
      ]);
      return rows.length > 0 ? true : undefined;
    });
  await start();
  for (const find of [start, maintain]) {
    await completed();
    await pool.query("UPDATE campaigns SET status = 'in-progress' WHERE id = $1", [id]);
    await find();
  }
  await completed();
});

test('schedules the next hourly maintenance before it starts to work', async () => {
  await maintain();
  const { rows } = await pool.query<{ minutes: number }>(
    "SELECT extract(epoch FROM start_after - now())::float / 60 AS minutes FROM jobs.job WHERE name = 'hourly-maintenance' AND state = 'created'",
  );
  assert.equal(rows.length, 1);
  assert.ok((rows[0]?.minutes ?? 0) > 50 && (rows[0]?.minutes ?? 0) <= 60);
});

test('deletes conversations without a visitor’s message or call after a day', async () => {
  const { uuid, userId, id } = await createAssistant(service, { balance: '1', initialMessage: 'Hello!' });
  const [unused, young, used, withPerson, called] = [
    await service.open(uuid),
    await service.open(uuid),
    await service.open(uuid),
    await service.open(uuid),
    await service.open(uuid),
  ];
  await service.send(used, 'Hi');
  await pool.query(
    "INSERT INTO messages (conversation_id, turn, role, content) SELECT id, 0, 'system', 'A person has taken over.' FROM conversations WHERE uuid = $1",
    [withPerson],
  );
  // The visitor listened to the greeting and hung up.
  await pool.query(
    `INSERT INTO calls (user_id, assistant_id, conversation_id, assistant_name, type, status, ended_at)
     SELECT $1, $2, id, 'A', 'web', 'ended_by_customer', now() FROM conversations WHERE uuid = $3`,
    [userId, id, called],
  );
  await pool.query(
    "UPDATE conversations SET created_at = created_at - interval '25 hours' WHERE uuid = ANY ($1)",
    [[unused, used, withPerson, called]],
  );
  await maintain();
  const statuses = [];
  for (const conversation of [unused, young, used, withPerson, called]) {
    statuses.push((await service.get(`/api/conversations/${conversation}`)).status);
  }
  assert.deepEqual(statuses, [404, 200, 200, 200, 200]);
});

test('deletes old records and renews other subscriptions although that of one number cannot be renewed', async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '9' });
  const old = await service.open(uuid);
  await pool.query("UPDATE conversations SET updated_at = now() - interval '31 days' WHERE uuid = $1", [old]);
  const [broken, other] = [await addNumber(service, userId), await addNumber(service, userId)];
  await pool.query(
    "UPDATE phone_numbers SET paid_until = now() - CASE id WHEN $1 THEN interval '2 hours' ELSE interval '1 hour' END WHERE user_id = $2",
    [broken, userId],
  );
  await pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'This number cannot be renewed.'; END $$`);
  await pool.query(`CREATE TRIGGER refuse BEFORE UPDATE ON phone_numbers FOR EACH ROW
    WHEN (OLD.id = ${broken}) EXECUTE FUNCTION refuse()`);
  const dependencies = { database, jobs: new StoredJobs(database), log: pino({ level: 'silent' }) };
  const days = { retentionDays: 30, auditDays: undefined };
  await assert.rejects(
    runHourlyMaintenance({ ...dependencies, ...days }, new AbortController().signal),
    (error) => /cannot be renewed/.test(JSON.stringify(describeError(error))),
  );
  const { rows } = await pool.query(
    'SELECT id FROM phone_numbers WHERE user_id = $1 AND paid_until > now()',
    [userId],
  );
  await pool.query('DROP TRIGGER refuse ON phone_numbers');
  assert.deepEqual(rows, [{ id: other }]);
  assert.equal((await service.get(`/api/conversations/${old}`)).status, 404);
});

test(
  'uses the space of deleted records again',
  { skip: testDatabase === 'postgres' && 'a server vacuums by itself' },
  async () => {
    const sizes = [];
    for (let round = 0; round < 3; round++) {
      await pool.query(
        `INSERT INTO audit_log (actor, operation, object, created_at)
         SELECT 'api-key', 'create', 'lead', now() - interval '31 days' FROM generate_series(1, 3000)`,
      );
      const { rows } = await pool.query<{ size: number }>(
        "SELECT pg_relation_size('audit_log')::float AS size, pg_stat_force_next_flush()",
      );
      sizes.push(rows[0]?.size);
      await maintain();
    }
    assert.equal(sizes[2], sizes[1]);
  },
);
