import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handleCallEnded } from '../../src/service/evaluation/call-ended.ts';
import { evaluateAndStore } from '../../src/service/evaluation/evaluate-and-store.ts';
import { handleConversationEnded } from '../../src/service/evaluation/conversation-ended.ts';
import { EngineError } from '../../src/service/engine/engine.ts';
import type { Engine, EvaluationRequest } from '../../src/service/engine/engine.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import type { Jobs } from '../../src/service/jobs/jobs.ts';
import { queues } from '../../src/service/jobs/queues.ts';
import { deletePerson } from '../../src/service/person/person.ts';
import { createLog } from '../../src/service/log.ts';
import { CampaignRun } from '../support/records/campaign-run.ts';
import { createApiKey } from '../support/service/create-api-key.ts';
import { createAssistant, startService } from '../support/service/service.ts';

const service = await startService();
const { database } = service.running;

/** Creates an ended chat with an assistant that has a webhook URL; returns the conversation's id. */
async function chat(message: string): Promise<number> {
  const { uuid, id } = await createAssistant(service);
  await database.pool.query(
    `UPDATE assistants SET conversation_ended_webhook_url = 'https://shop.example/hook',
       post_call_schema = '[{"name": "budget", "type": "number", "description": "How much"}]' WHERE id = $1`,
    [id],
  );
  const conversation = await service.open(uuid);
  await service.send(conversation, message);
  const { rows } = await database.pool.query<{ id: string }>(
    'UPDATE conversations SET ended_at = now() WHERE uuid = $1 RETURNING id',
    [conversation],
  );
  return Number(rows[0]?.id);
}

/** Handles an end with a custom engine; returns the jobs that were sent, without those of a transaction that failed. */
async function handle(
  evaluate: Engine['evaluate'],
  job: { conversationId: number } | { callId: number },
  retryCount = 0,
  timeoutMs = 50,
) {
  const sent: { queue: string; data: object; startAfter: unknown }[] = [];
  const jobs: Jobs = {
    send(queue, data, { startAfter } = {}) {
      sent.push({ queue, data, startAfter });
      return Promise.resolve();
    },
  };
  const engine = { evaluate } as Engine;
  const dependencies = {
    ...{ database, jobs, engine, log: createLog('silent'), timeoutMs },
    publicUrl: () => service.url,
  };
  const { signal } = new AbortController();
  if ('callId' in job) await handleCallEnded(dependencies, job, signal, retryCount);
  else await handleConversationEnded(dependencies, job, signal, retryCount);
  const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM webhook_deliveries');
  const stored = new Set(rows.map(({ id }) => Number(id)));
  return sent.filter(({ data }) => !('deliveryId' in data) || stored.has(Number(data.deliveryId)));
}

/** Creates an answered call of an assistant that has a webhook URL; returns its id. */
async function call(): Promise<number> {
  const { id, userId } = await createAssistant(service);
  await database.pool.query(
    `UPDATE assistants SET webhook_url = 'https://shop.example/hook', is_webhook_active = true,
       post_call_schema = '[{"name": "budget", "type": "number", "description": "How much"}]' WHERE id = $1`,
    [id],
  );
  const { rows } = await database.pool.query<{ id: number }>(
    `INSERT INTO calls (user_id, assistant_id, assistant_name, type, status, ended_at, messages)
     VALUES ($1, $2, 'A', 'outbound', 'completed', now(), '[{"role": "user", "content": "Hello"}]') RETURNING id`,
    [userId, id],
  );
  return Number(rows[0]?.id);
}

async function readPayload(id: number, of = 'conversation_id'): Promise<Record<string, unknown> | undefined> {
  const { rows } = await database.pool.query<{ payload: string }>(
    `SELECT payload FROM webhook_deliveries WHERE ${of} = $1`,
    [id],
  );
  assert.ok(rows.length <= 1);
  return rows[0] && (JSON.parse(rows[0].payload) as Record<string, unknown>);
}

const found = { sentiment: 'positive', outcome: 'Sold', score: 1, variables: { budget: 7 } } as const;

/** Earlier tries of the job in the last try of an evaluation. */
const lastTry = 5;

test('retries a failed evaluation before the webhook is sent', async () => {
  const conversationId = await chat('Hello');
  const failing = () => Promise.reject(new EngineError('the language model cannot be reached'));
  for (let retryCount = 0; retryCount < lastTry; retryCount++)
    await assert.rejects(handle(failing, { conversationId }, retryCount), EngineError);
  assert.equal(await readPayload(conversationId), undefined);

  const sent = await handle(() => Promise.resolve(found), { conversationId }, lastTry);
  assert.deepEqual(
    sent.map(({ queue }) => queue),
    ['webhook-delivery'],
  );
  assert.deepEqual((await readPayload(conversationId))?.['extracted_variables'], { budget: 7 });
});

const endless = (_: EvaluationRequest, signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });

test('retries an evaluation that took too long only once, since the webhook waits for it', async () => {
  const conversationId = await chat('Hello');
  await assert.rejects(handle(endless, { conversationId }), EngineError);
  assert.equal(await readPayload(conversationId), undefined);

  const sent = await handle(endless, { conversationId }, 1);
  assert.deepEqual(
    sent.map(({ queue }) => queue),
    ['webhook-delivery'],
  );
  assert.deepEqual((await readPayload(conversationId))?.['extracted_variables'], {});
});

test('gives up an evaluation before its job times out, even if replies may take longer', async (t) => {
  const jobMs = queues['conversation-ended'].rules.expireInSeconds * 1000;
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  // What would be over before the job is over at once.
  t.mock.method(AbortSignal, 'timeout', (milliseconds: number) =>
    timeout(milliseconds < jobMs ? 0 : 2 ** 31 - 1),
  );
  const conversationId = await chat('Hello');
  const sent = await handle(endless, { conversationId }, 1, 3_600_000);
  assert.equal(sent.length, 1);
  assert.ok(await readPayload(conversationId));
});

test('leaves unexpected errors to the queue and stores nothing', async () => {
  const conversationId = await chat('Hello');
  await assert.rejects(
    handle(() => Promise.reject(new TypeError('broken')), { conversationId }),
    TypeError,
  );
  assert.equal(await readPayload(conversationId), undefined);
  assert.equal((await handle(() => Promise.resolve(found), { conversationId })).length, 1);
});

test('removes characters of an evaluation that PostgreSQL cannot store', async () => {
  const unstorable = { ...found, outcome: 'Sold\0 \ud83d', variables: { budget: 7 } };
  const conversationId = await chat('Hello');
  assert.equal((await handle(() => Promise.resolve(unstorable), { conversationId })).length, 1);
  const callId = await call();
  assert.equal((await handle(() => Promise.resolve(unstorable), { callId })).length, 1);
  const { rows } = await database.pool.query<{ outcome: string }>(
    `SELECT evaluation ->> 'outcome' AS outcome FROM conversations WHERE id = $1
     UNION ALL SELECT evaluation ->> 'outcome' FROM calls WHERE id = $2`,
    [conversationId, callId],
  );
  assert.deepEqual(rows, [{ outcome: 'Sold \ufffd' }, { outcome: 'Sold \ufffd' }]);
});

test('sends the webhook without an evaluation after the last try', async () => {
  const failing = () => Promise.reject(new EngineError('the language model cannot be reached'));
  const broken = () => Promise.reject(new TypeError('broken'));
  const unstorable = () => Promise.resolve({ ...found, score: 10n as unknown as number });
  for (const evaluate of [failing, broken, unstorable]) {
    const conversationId = await chat('Hello');
    await assert.rejects(handle(evaluate, { conversationId }));
    assert.equal(await readPayload(conversationId), undefined);
    assert.equal((await handle(evaluate, { conversationId }, lastTry)).length, 1);
    assert.deepEqual((await readPayload(conversationId))?.['extracted_variables'], {});

    const callId = await call();
    await assert.rejects(handle(evaluate, { callId }));
    assert.equal(await readPayload(callId, 'call_id'), undefined);
    assert.equal((await handle(evaluate, { callId }, lastTry)).length, 1);
    assert.deepEqual((await readPayload(callId, 'call_id'))?.['extracted_variables'], {});
  }
});

test('keeps an evaluation that could not be stored for a while, however many tries there were', async () => {
  const { signal } = new AbortController();
  const storedBy = async (retryCount: number, error: Error) => {
    const stored: unknown[] = [];
    const engine = { evaluate: () => Promise.resolve(found) } as unknown as Engine;
    const dependencies = {
      ...{ database, jobs: new StoredJobs(database), engine, log: createLog('silent'), timeoutMs: 50 },
      publicUrl: () => service.url,
    };
    const ended = {
      ...{ uuid: 'a', language: 'en', model: null, postCallEvaluation: true, postCallSchema: [] },
      transcript: [{ role: 'user' as const, content: 'Hello' }],
    };
    const store = (evaluated: unknown) => {
      if (evaluated) return Promise.reject(new Error('Failed query', { cause: error }));
      stored.push(evaluated);
      return Promise.resolve();
    };
    await evaluateAndStore(dependencies, ended, { retryCount, signal }, store).catch(() =>
      stored.push('retry'),
    );
    return stored;
  };
  const queryError = (code: string) => Object.assign(new Error('refused'), { code });
  const [lockTimeout, statementTimeout, invalidText] = [
    queryError('55P03'),
    queryError('57014'),
    queryError('22P05'),
  ];
  for (const error of [lockTimeout, statementTimeout, new Error('Connection terminated')]) {
    assert.deepEqual(await storedBy(lastTry, error), ['retry']);
    assert.deepEqual(await storedBy(100, error), ['retry']);
  }
  for (const error of [invalidText, new TypeError('Do not know how to serialize a BigInt')]) {
    assert.deepEqual(await storedBy(lastTry - 1, error), ['retry']);
    assert.deepEqual(await storedBy(lastTry, error), [undefined]);
  }
});

test('passes the latest messages of a long chat to the engine', async () => {
  const conversationId = await chat('The last question');
  await database.pool.query(
    `INSERT INTO messages (conversation_id, turn, role, content)
     SELECT $1, 0, 'assistant', 'line ' || n || repeat(' and so on', 190) FROM generate_series(1, 50) AS n`,
    [conversationId],
  );
  let received: EvaluationRequest | undefined;
  await handle(
    (request) => {
      received = request;
      return Promise.resolve(found);
    },
    { conversationId },
  );
  const lines = received?.transcript.map(({ content }) => content) ?? [];
  assert.ok(lines.join('').length <= 24_000 && lines.length > 10);
  assert.ok(lines.includes('The last question'));
});

test('waits for a reply that is still being written when the conversation ends', async () => {
  const conversationId = await chat('Hello');
  const setReply = (state: string, owner: string, lease: string) =>
    database.pool.query(
      `UPDATE messages SET reply_state = '${state}', reply_owner = ${owner}, reply_lease_until = ${lease}
       WHERE conversation_id = $1 AND role = 'user'`,
      [conversationId],
    );
  await setReply('pending', 'gen_random_uuid()', "now() + interval '1 day'");
  const evaluate = () => Promise.resolve(found);
  const [again] = await handle(evaluate, { conversationId });
  assert.deepEqual(again, { queue: 'conversation-ended', data: { conversationId }, startAfter: 5000 });
  assert.equal(await readPayload(conversationId), undefined);
  await setReply('answered', 'NULL', 'NULL');
  assert.equal((await handle(evaluate, { conversationId })).length, 1);
  assert.ok(await readPayload(conversationId));
});

test('sends the webhook of a conversation that was resumed before its end was handled when it ends again', async () => {
  const conversationId = await chat('Hello');
  const setEnd = (value: string) =>
    database.pool.query(`UPDATE conversations SET ended_at = ${value} WHERE id = $1`, [conversationId]);
  await setEnd('NULL');
  const evaluate = () => Promise.resolve(found);
  assert.deepEqual(await handle(evaluate, { conversationId }), []);
  assert.equal(await readPayload(conversationId), undefined);
  await setEnd('now()');
  assert.equal((await handle(evaluate, { conversationId })).length, 1);
  assert.partialDeepStrictEqual(await readPayload(conversationId), { status: 'ended', message_count: 2 });
});

test('handles an end once, even if a person takes over the ended conversation before its job is repeated', async () => {
  const conversationId = await chat('Hello');
  const evaluate = () => Promise.resolve(found);
  assert.equal((await handle(evaluate, { conversationId })).length, 1);
  const { rows } = await database.pool.query<{ uuid: string; owner: number }>(
    `SELECT conversations.uuid, user_id AS owner FROM conversations JOIN assistants ON assistants.id = assistant_id
     WHERE conversations.id = $1`,
    [conversationId],
  );
  const { uuid = '', owner = 0 } = rows[0] ?? {};
  const desk = { Authorization: `Bearer ${await createApiKey(database.db, owner, 'Desk')}` };
  const path = `/api/automate/conversations/${uuid}/disable-ai`;
  assert.equal((await service.post(path, undefined, desk)).status, 200);
  // As after a process that was killed before it had completed the job.
  assert.deepEqual(await handle(evaluate, { conversationId }), []);
});

test('sends nothing about a person whose data is deleted during the evaluation', async () => {
  const [phone, contact] = ['+4989200780001', '+4989200780002'];
  const run = await CampaignRun.start(service);
  await run.add(phone, [contact]);
  await run.tick();
  await run.end({ status: 'busy' });
  const [callId = 0] = await run.openCalls();
  await run.end();
  await database.pool.query(
    `UPDATE calls SET messages = '[{"role": "user", "content": "Hello"}]' WHERE id = $1`,
    [callId],
  );
  await database.pool.query(
    `UPDATE assistants SET webhook_url = 'https://shop.example/hook', is_webhook_active = true,
       post_call_schema = '[{"name": "budget", "type": "number", "description": "How much"}]' WHERE user_id = $1`,
    [run.owner.id],
  );
  const evaluate = async () => {
    await deletePerson({ tx: database.db, jobs: new StoredJobs(database) }, { phone });
    return found;
  };
  await handle(evaluate, { callId });
  const payload = await readPayload(callId, 'call_id');
  assert.doesNotMatch(JSON.stringify(payload), new RegExp(`Ada|${phone.slice(1)}`));
  assert.partialDeepStrictEqual(payload, { lead: null, extracted_variables: { budget: 7 } });
});
