import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'drizzle-orm';
import { GeneratedReply } from '../../src/contract/generate-reply.ts';
import { createApiKey } from '../support/service/create-api-key.ts';
import { eventually } from '../support/eventually.ts';
import { endJobs } from '../support/records/end-jobs.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { Owner } from '../support/records/owner.ts';
import { atEnd, createAssistant, readMoney, startService, testDatabase } from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
const { pool } = service.running.database;

/** Creates an owner with an assistant, and a function that requests replies. */
async function createShop(balance = '1') {
  const owner = await Owner.create(service, balance);
  const { id } = await createAssistant(service, {
    userId: owner.id,
    initialMessage: 'Hello!',
    systemPrompt: 'You help {{name}}, {{tier}}.',
    variables: { name: 'somebody', tier: 'guest' },
  });
  const ask = (message: string, more: Record<string, unknown> = {}) =>
    owner.post('ai/generate-reply', {
      assistant_id: id,
      customer_identifier: 'anna@x.example',
      message,
      ...more,
    });
  return { owner, id, ask };
}
const conversationOf = ({ json }: { json: Record<string, unknown> }) => String(json['conversation_id']);

test('opens a conversation with the customer and answers the message', async () => {
  const { owner, ask } = await createShop();
  const first = await ask('Hi', { variables: { name: 'Anna' } });
  assert.equal(first.status, 200);
  const conversation = conversationOf(first);
  assert.deepEqual(first.json, {
    success: true,
    conversation_id: conversation,
    customer_identifier: 'anna@x.example',
    reply: 'You said: Hi',
    function_calls: [],
    ai_disabled: false,
  });
  assert.ok(GeneratedReply.safeParse(first.json).success);
  assert.match(model.requests.at(-1)?.messages[0]?.content ?? '', /^You help <data>"Anna"<\/data>, guest\./);
  const second = await ask('Hi again');
  assert.equal(conversationOf(second), conversation);
  // The customer has never seen the initial message.
  assert.deepEqual(await service.history(conversation), [
    'user: Hi',
    'assistant: You said: Hi',
    'user: Hi again',
    'assistant: You said: Hi again',
  ]);
  assert.deepEqual(await readMoney(service, owner.id), { balance: 0.98, ledger: 0.98 });
  const { json } = await owner.get('conversations');
  const [listed] = json['data'] as Record<string, unknown>[];
  assert.deepEqual(
    [listed?.['id'], listed?.['type'], listed?.['total_cost']],
    [conversation, 'widget', 0.02],
  );
});

test('keeps separate conversations for each customer and assistant', async () => {
  const [one, other] = [await createShop(), await createShop()];
  const answers = [
    await one.ask('Hi'),
    await one.ask('Hi', { customer_identifier: 'Anna@x.example' }),
    await other.ask('Hi'),
  ];
  assert.equal(new Set(answers.map(conversationOf)).size, 3);
});

test('adds simultaneous first messages to one conversation and answers them in turn', async () => {
  const { ask, owner } = await createShop();
  const answers = await Promise.all(['One', 'Two', 'Three'].map((message) => ask(message)));
  assert.equal(new Set(answers.map(conversationOf)).size, 1);
  assert.deepEqual(
    answers.map(({ json }) => json['reply']),
    ['You said: One', 'You said: Two', 'You said: Three'],
  );
  assert.equal((await readMoney(service, owner.id)).balance, 0.97);
});

test('opens another conversation after one has ended, and sends the webhook of the ended one', async () => {
  const { ask, id } = await createShop();
  const first = conversationOf(await ask('Hi'));
  const pass = () =>
    pool.query(`UPDATE conversations SET updated_at = updated_at - interval '31 minutes' WHERE uuid = $1`, [
      first,
    ]);
  await pass();
  const second = conversationOf(await ask('Good morning'));
  assert.notEqual(second, first);
  assert.equal(await endJobs(service, first), 1);
  assert.equal(conversationOf(await ask('Still there?')), second);
  await pool.query('UPDATE assistants SET conversation_ended_retrigger = true WHERE id = $1', [id]);
  await pool.query(`UPDATE conversations SET updated_at = updated_at - interval '1 day' WHERE uuid = $1`, [
    second,
  ]);
  assert.equal(conversationOf(await ask('And now?')), second);
});

test('stores messages free of charge and without a reply during a human handoff', async () => {
  const { ask, owner } = await createShop();
  const conversation = conversationOf(await ask('Hi'));
  const headers = { Authorization: `Bearer ${owner.key}` };
  await service.post(`/api/automate/conversations/${conversation}/disable-ai`, undefined, headers);
  const { status, json } = await ask('Anybody there?');
  assert.deepEqual([status, json['success'], json['reply'], json['ai_disabled']], [200, true, '', true]);
  assert.equal((await readMoney(service, owner.id)).balance, 0.99);
  assert.equal((await service.history(conversation)).at(-1), 'user: Anybody there?');
});

test('returns the same answer for a repeated key and charges once', async () => {
  const { owner, id } = await createShop();
  const send = () =>
    service.post(
      '/api/user/ai/generate-reply',
      { assistant_id: id, customer_identifier: 'Ben', message: 'Hi' },
      { Authorization: `Bearer ${owner.key}`, 'Idempotency-Key': 'once' },
    );
  const first = await send();
  assert.deepEqual((await send()).json, first.json);
  assert.equal((await readMoney(service, owner.id)).balance, 0.99);
});

test('names the field of variables that the conversation has no room for', async () => {
  const { ask } = await createShop();
  const ask100 = (prefix: string) => {
    const names = Array.from({ length: 100 }, (_, index) => [`${prefix}${index}`, 'x'] as const);
    return ask('Hi', { variables: Object.fromEntries(names) });
  };
  assert.equal((await ask100('a')).status, 200);
  const { status, errors } = await ask100('b');
  assert.deepEqual([status, Object.keys(errors)], [422, ['variables']]);
});

test(
  'opens another conversation if the latest one is being ended',
  { skip: testDatabase === 'pglite' && 'an embedded database has one transaction at a time' },
  async () => {
    const { owner, ask } = await createShop();
    const first = conversationOf(await ask('Hi'));
    const [asked] = await service.running.database.transaction(async (tx) => {
      await tx.execute(sql`UPDATE conversations SET ended_at = now() WHERE uuid = ${first}`);
      const answer = ask('Good morning');
      const waiting = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      // Less than the 30 s after which the database ends an idle transaction.
      await eventually(
        'the message to wait',
        async () => (await pool.query(waiting)).rows.length > 0,
        20_000,
      );
      // In an array, since the answer comes after the transaction.
      return [answer];
    });
    const second = await asked;
    assert.equal(second.json['reply'], 'You said: Good morning');
    assert.notEqual(conversationOf(second), first);
    assert.equal((await readMoney(service, owner.id)).balance, 0.98);
  },
);

describe('a repeated key after the conversation has ended', () => {
  /** Sends the same request twice, with the end in between; returns both answers. */
  async function repeatAfter(end: (conversation: string) => Promise<unknown>) {
    const { owner, id } = await createShop();
    await pool.query('UPDATE assistants SET tools = $1 WHERE id = $2', [
      JSON.stringify([{ type: 'end_call', description: 'Say goodbye.' }]),
      id,
    ]);
    const send = () =>
      service.post(
        '/api/user/ai/generate-reply',
        { assistant_id: id, customer_identifier: 'Ben', message: 'Hi' },
        { Authorization: `Bearer ${owner.key}`, 'Idempotency-Key': 'once' },
      );
    const first = await send();
    await end(conversationOf(first));
    const second = await send();
    const { json } = await owner.get('conversations');
    const { balance } = await readMoney(service, owner.id);
    return { first, second, balance, conversations: (json['data'] as unknown[]).length };
  }

  test('returns the same answer if it ended by inactivity', async () => {
    const { first, second, balance, conversations } = await repeatAfter((conversation) =>
      pool.query(`UPDATE conversations SET updated_at = updated_at - interval '31 minutes' WHERE uuid = $1`, [
        conversation,
      ]),
    );
    assert.deepEqual(second.json, first.json);
    assert.deepEqual([balance, conversations], [0.99, 1]);
  });

  test('returns the same answer if the first answer ended it', async () => {
    model.behave({ calls: [{ name: 'end_call', arguments: {} }], chunks: ['Goodbye.'] });
    const { first, second, balance, conversations } = await repeatAfter(() => Promise.resolve());
    model.behave({});
    assert.equal(first.json['reply'], 'Goodbye.');
    assert.deepEqual(second.json, first.json);
    assert.deepEqual([balance, conversations], [0.99, 1]);
  });
});

test('accepts the same key for two customers', async () => {
  const { owner, id } = await createShop();
  const send = (customer_identifier: string) =>
    service.post(
      '/api/user/ai/generate-reply',
      { assistant_id: id, customer_identifier, message: 'Hi' },
      { Authorization: `Bearer ${owner.key}`, 'Idempotency-Key': 'once' },
    );
  const answers = [await send('Ben'), await send('Eva')];
  assert.equal(new Set(answers.map(conversationOf)).size, 2);
  assert.equal((await readMoney(service, owner.id)).balance, 0.98);
});

test('is also available as /api/ai/generate-reply', async () => {
  const { owner, id, ask } = await createShop();
  const body = { assistant_id: id, customer_identifier: 'anna@x.example', message: 'Hi again' };
  const first = await ask('Hi');
  const second = await service.post('/api/ai/generate-reply', body, { Authorization: `Bearer ${owner.key}` });
  assert.deepEqual([second.status, conversationOf(second)], [200, conversationOf(first)]);
  assert.equal((await service.post('/api/ai/generate-reply', body)).status, 401);
});

describe('an error', () => {
  const notFound = { success: false, error: 'Assistant not found', error_code: 'ASSISTANT_NOT_FOUND' };

  test('is the same for an unknown, a deleted and another user’s assistant', async () => {
    const [one, other] = [await createShop(), await createShop()];
    await pool.query('UPDATE assistants SET deleted_at = now() WHERE id = $1', [one.id]);
    for (const assistant_id of [2_000_000_000, other.id, one.id]) {
      const { status, json } = await one.ask('Hi', { assistant_id });
      assert.deepEqual([status, json], [404, notFound]);
    }
  });

  test('is INSUFFICIENT_BALANCE before and after the conversation was opened', async () => {
    const insufficient = { success: false, error_code: 'INSUFFICIENT_BALANCE' };
    const { ask, owner } = await createShop('0.01');
    const { json: paid } = await ask('Hi');
    assert.equal(paid['success'], true);
    for (const customer_identifier of ['anna@x.example', 'Ben']) {
      const { status, json } = await ask('Hi', { customer_identifier });
      const { error, ...rest } = json;
      assert.deepEqual([status, rest], [402, insufficient]);
      assert.match(String(error), /^Insufficient balance/);
    }
    assert.equal((await owner.get('conversations')).json['data'] instanceof Array, true);
  });

  test('is REPLY_FAILED if the spending limit of the day is reached', async () => {
    const { ask, owner } = await createShop();
    await owner.put('spending-limit', { daily_limit: 0.01 });
    assert.equal((await ask('Hi')).status, 200);
    const { status, json } = await ask('Hi');
    const limited = { success: false, error: 'Daily limit reached.', error_code: 'REPLY_FAILED' };
    assert.deepEqual([status, json], [400, limited]);
    assert.equal((await readMoney(service, owner.id)).balance, 0.99);
  });

  test('of the model is refunded', async () => {
    const { ask, owner } = await createShop();
    model.behave({ status: 401 });
    const { status, json } = await ask('Hi');
    model.behave({});
    const error = 'Failed to process message: the assistant cannot answer at the moment';
    assert.deepEqual([status, json], [400, { success: false, error, error_code: 'REPLY_FAILED' }]);
    assert.equal((await readMoney(service, owner.id)).balance, 1);
  });

  test('of validation reports all invalid fields', async () => {
    const { owner, ask } = await createShop();
    const fields = async (body: Record<string, unknown>) => {
      const { status, errors } = await owner.post('ai/generate-reply', body);
      return [status, ...Object.keys(errors)];
    };
    assert.deepEqual(await fields({}), [422, 'assistant_id', 'customer_identifier', 'message']);
    for (const [field, good, bad] of [
      ['customer_identifier', 'x'.repeat(255), 'x'.repeat(256)],
      ['customer_identifier', '+49', ' '],
      ['message', '😀'.repeat(2000), 'x'.repeat(2001)],
      ['message', 'a', 'a\0'],
      ['variables', null, { name: 'x'.repeat(2001) }],
      ['variables', {}, 'x'],
    ] as const) {
      assert.equal((await ask('Hi', { [field]: good })).status, 200, field);
      const { status, errors } = await ask('Hi', { [field]: bad });
      assert.deepEqual([status, Object.keys(errors)], [422, [field]]);
    }
  });

  test('is returned for the sixth reply in a minute with the same key', async () => {
    const limited = await startService({ RATE_LIMIT: '1000' });
    const owner = await Owner.create(limited);
    const send = (key: string) =>
      limited.post('/api/user/ai/generate-reply', {}, { Authorization: `Bearer ${key}` });
    for (let request = 0; request < 5; request++) assert.equal((await send(owner.key)).status, 422);
    const { status, json, headers } = await send(owner.key);
    assert.deepEqual([status, json['message']], [429, 'Too Many Attempts.']);
    assert.equal(headers.get('Retry-After'), String(json['retry_after']));
    const second = await createApiKey(limited.running.database.db, owner.id, 'Second');
    assert.equal((await send(second)).status, 422);
    assert.equal((await owner.get('me')).status, 200);
  });
});
