import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { failAbandonedReplies } from '../../src/service/conversation/fail-abandoned-replies.ts';
import { createApiKey } from '../support/service/create-api-key.ts';
import { endInactiveConversations } from '../../src/service/conversation/end-conversation.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { assistantBody, readAssistant } from '../support/records/assistant-body.ts';
import { completeEndJobs, endJobs } from '../support/records/end-jobs.ts';
import { Owner } from '../support/records/owner.ts';
import { createAssistant, readMoney, startService } from '../support/service/service.ts';
import { eventually } from '../support/eventually.ts';

const service = await startService();
const { db, pool } = service.running.database;

/** Opens a conversation whose last message is the given minutes old. */
async function inactive(minutes: number, settings: { timeout?: number; retrigger?: boolean } = {}) {
  const { uuid, userId, id } = await createAssistant(service, { balance: '1', initialMessage: 'Hello!' });
  await pool.query(
    `UPDATE assistants SET conversation_inactivity_timeout = coalesce($1, conversation_inactivity_timeout),
       conversation_ended_retrigger = coalesce($2, conversation_ended_retrigger) WHERE id = $3`,
    [settings.timeout, settings.retrigger, id],
  );
  const conversation = await service.open(uuid);
  await passTime(conversation, minutes);
  return { conversation, userId };
}

const passTime = (conversation: string, minutes: number) =>
  pool.query(
    `UPDATE conversations SET updated_at = updated_at - $1 * interval '1 minute',
       inactivity_check_at = inactivity_check_at - $1 * interval '1 minute' WHERE uuid = $2`,
    [minutes, conversation],
  );

const ended = async (conversation: string) =>
  (await service.get(`/api/conversations/${conversation}`)).json['ended'];

test('ends a conversation after 30 minutes without a message, and then stores and charges nothing', async () => {
  const { conversation, userId } = await inactive(31);
  assert.equal(await ended(conversation), true);
  const refusal = { status: false, error: 'Conversation has ended' };
  const { status, json } = await service.send(conversation, 'Still there?');
  assert.deepEqual([status, json], [400, refusal]);
  const streamed = await service.post(
    `/api/conversations/${conversation}/messages`,
    { message: 'Still there?' },
    { Accept: 'text/event-stream' },
  );
  assert.deepEqual([streamed.status, streamed.json], [400, refusal]);
  assert.deepEqual(await service.history(conversation), ['assistant: Hello!']);
  assert.deepEqual(await readMoney(service, userId), { balance: 1, ledger: 1 });
});

test('restarts the inactivity timeout with every message and answer', async () => {
  const { conversation } = await inactive(29);
  assert.equal(await ended(conversation), false);
  assert.equal((await service.send(conversation, 'Hi')).status, 200);
  await passTime(conversation, 29);
  assert.equal(await ended(conversation), false);
  assert.equal((await service.send(conversation, 'Hi again')).status, 200);
});

test('does not end a conversation while a reply is being generated', async () => {
  const gate = Promise.withResolvers<undefined>();
  const model = await startModelServer();
  model.behave({ gate: gate.promise });
  const slow = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
  const { conversation } = await inactive(0);
  const first = slow.send(conversation, 'One');
  await model.received(1);
  await passTime(conversation, 31);
  assert.equal(await ended(conversation), false);
  await endInactiveConversations({
    database: slow.running.database,
    jobs: new StoredJobs(slow.running.database),
  });
  const second = slow.stream(conversation, 'Two');
  gate.resolve(undefined);
  assert.equal((await first).json['message'], 'You said: One');
  assert.equal((await (await second).all()).at(-1)?.data['message'], 'You said: Two');
  await slow.running.close();
  await model.close();
});

test('applies conversation_inactivity_timeout of the assistant', async () => {
  assert.equal(await ended((await inactive(6, { timeout: 5 })).conversation), true);
  assert.equal(await ended((await inactive(4, { timeout: 5 })).conversation), false);
  assert.equal(await ended((await inactive(1439, { timeout: 1440 })).conversation), false);
});

test('resumes ended conversations if conversation_ended_retrigger is true', async () => {
  const { conversation } = await inactive(60 * 24, { retrigger: true });
  assert.equal(await ended(conversation), false);
  assert.equal((await service.send(conversation, 'Good morning')).status, 200);
});

test('returns the stored answer for a repeated request after the end', async () => {
  const { conversation } = await inactive(0);
  const key = { 'Idempotency-Key': randomUUID() };
  const { json } = await service.send(conversation, 'Hello', key);
  await passTime(conversation, 31);
  assert.deepEqual((await service.send(conversation, 'Hello', key)).json, json);
});

test('resumes an ended conversation when a person writes', async () => {
  const { conversation, userId } = await inactive(31);
  const key = await createApiKey(db, userId, 'Desk');
  const { status } = await service.post(
    `/api/user/conversations/${conversation}/messages`,
    { message: 'Sorry for the wait.' },
    { Authorization: `Bearer ${key}` },
  );
  assert.equal(status, 200);
  assert.equal(await ended(conversation), false);
  assert.equal((await service.send(conversation, 'No problem')).status, 200);
});

test('sends one webhook per end, regardless of the number of processes', async () => {
  const withMessage = async (settings: { timeout?: number; retrigger?: boolean } = {}) => {
    const { conversation } = await inactive(0, settings);
    await service.send(conversation, 'Hello');
    return conversation;
  };
  const [over, resumed, active] = [
    await withMessage(),
    await withMessage({ retrigger: true }),
    await withMessage(),
  ];
  const { conversation: silent } = await inactive(31);
  for (const conversation of [over, resumed]) await passTime(conversation, 31);
  await passTime(active, 29);
  // These services use the database that all services of the tests share.
  const watchers = await Promise.all([1, 2].map(() => startService({ REPLY_LEASE_SECONDS: '0.3' })));
  const jobCounts = () => Promise.all([over, resumed, silent, active].map((each) => endJobs(service, each)));
  while ((await jobCounts()).filter((count) => count > 0).length < 2) await nextTurn();
  await completeEndJobs(service, resumed);
  await service.send(resumed, 'Hello again');
  await passTime(resumed, 31);
  while ((await endJobs(service, resumed)) < 2) await nextTurn();
  await Promise.all(watchers.map(({ running }) => running.close()));
  // There is no webhook for a conversation without messages.
  assert.deepEqual(await jobCounts(), [1, 2, 0, 0]);
  assert.equal(await ended(over), true);
});

test('does not count a pending reply as inactivity', async () => {
  const { conversation } = await inactive(0);
  await service.send(conversation, 'Hello');
  await pool.query(
    `UPDATE messages SET reply_state = 'pending', reply_owner = gen_random_uuid(), reply_lease_until = now() + interval '1 hour'
     WHERE role = 'user' AND conversation_id = (SELECT id FROM conversations WHERE uuid = $1)`,
    [conversation],
  );
  await passTime(conversation, 31);
  const ending = { database: service.running.database, jobs: new StoredJobs(service.running.database) };
  await endInactiveConversations(ending);
  assert.equal(await endJobs(service, conversation), 0);
});

test('starts the inactivity timeout again when a reply fails after it, so that the message can be sent again', async () => {
  const gate = Promise.withResolvers<undefined>();
  const model = await startModelServer();
  model.behave({ gate: gate.promise, ending: 'cut' });
  const slow = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
  const { conversation } = await inactive(0, { timeout: 1 });
  const answer = slow.send(conversation, 'Hello');
  await model.received(1);
  await passTime(conversation, 2);
  gate.resolve(undefined);
  assert.notEqual((await answer).status, 200);
  await endInactiveConversations({
    database: slow.running.database,
    jobs: new StoredJobs(slow.running.database),
  });
  assert.equal(await ended(conversation), false);
  model.behave({});
  assert.equal((await slow.send(conversation, 'Hello')).json['message'], 'You said: Hello');
  await slow.running.close();
  await model.close();
});

test('starts the inactivity timeout again when the reply of a dead process fails', async () => {
  const { conversation } = await inactive(0, { timeout: 1 });
  await service.send(conversation, 'Hello');
  await pool.query(
    `UPDATE messages SET reply_state = 'pending', reply_owner = gen_random_uuid(), reply_lease_until = now()
     WHERE role = 'user' AND conversation_id = (SELECT id FROM conversations WHERE uuid = $1)`,
    [conversation],
  );
  await passTime(conversation, 2);
  while ((await failAbandonedReplies(service.running.database)) > 0);
  assert.equal(await ended(conversation), false);
});

/** Returns which of the conversations housekeeping would check now. */
async function due(conversations: string[]): Promise<string[]> {
  const { rows } = await pool.query<{ uuid: string }>(
    `SELECT uuid FROM conversations WHERE uuid = ANY ($1) AND inactivity_check_at <= now() AND ended_at IS NULL`,
    [conversations],
  );
  return rows.map(({ uuid }) => uuid);
}

const ending = { database: service.running.database, jobs: new StoredJobs(service.running.database) };

/** Ends inactive conversations until this one has ended. Another process may have its row locked meanwhile. */
const endsAsDue = (conversation: string) =>
  eventually('the end', async () => {
    await endInactiveConversations(ending);
    return (await endJobs(service, conversation)) === 1;
  });

test('checks a conversation once a timeout, however many messages it has, and ends it in time', async () => {
  const { conversation } = await inactive(0);
  // The housekeeping of the service may have checked it already.
  await endInactiveConversations(ending);
  await passTime(conversation, 29);
  assert.equal((await service.send(conversation, 'Hello')).status, 200);
  assert.deepEqual(await due([conversation]), []);
  await passTime(conversation, 2);
  await endInactiveConversations(ending);
  assert.equal(await endJobs(service, conversation), 0);
  await passTime(conversation, 27);
  assert.deepEqual(await due([conversation]), []);
  await passTime(conversation, 2);
  await endsAsDue(conversation);
});

test('checks conversations again when the timeout of their assistant is shortened', async () => {
  const owner = await Owner.create(service, '1');
  const { id } = await owner.create('assistant', assistantBody());
  const { uuid } = await readAssistant(owner, id);
  const conversation = await service.open(String(uuid));
  await service.send(conversation, 'Hello');
  await endInactiveConversations(ending);
  await passTime(conversation, 6);
  await endInactiveConversations(ending);
  assert.equal(await endJobs(service, conversation), 0);
  await owner.put(`assistant/${id}`, { conversation_inactivity_timeout: 5 });
  await endsAsDue(conversation);
});

test('ends at most 2,000 conversations in one run, so that the other tasks of housekeeping do not wait', async () => {
  const { id } = await createAssistant(service);
  await pool.query(
    `INSERT INTO conversations (uuid, assistant_id, type, updated_at, inactivity_check_at)
     SELECT gen_random_uuid(), $1, 'test', now() - interval '1 hour', now() - interval '1 hour' FROM generate_series(1, 2100)`,
    [id],
  );
  // The housekeeping of the service may end some of them meanwhile.
  for (let open = 2100; open > 0;) {
    assert.ok((await endInactiveConversations(ending)) <= 2000);
    const { rows } = await pool.query<{ open: number }>(
      'SELECT count(*)::int AS open FROM conversations WHERE assistant_id = $1 AND ended_at IS NULL',
      [id],
    );
    open = rows[0]?.open ?? 0;
  }
});
