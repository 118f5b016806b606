import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createApiKey } from '../support/service/create-api-key.ts';
import { AddedMessage } from '../../src/contract/conversation.ts';
import {
  ConversationEvents,
  TooManyStreamsError,
} from '../../src/service/conversation/conversation-events.ts';
import { ChangeNotifier } from '../../src/service/conversation/change-notifier.ts';
import { createLog } from '../../src/service/log.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import type { StreamedEvent } from '../support/service/service-client.ts';
import {
  atEnd,
  createAssistant,
  newDatabase,
  startService,
  testDatabase,
} from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
const { db, pool } = service.running.database;
const { uuid: assistant, userId } = await createAssistant(service, {
  balance: '1000',
  initialMessage: 'Welcome!',
});
const owner = { Authorization: `Bearer ${await createApiKey(db, userId, 'Desk')}` };
const switchAi = (conversation: string, action: 'enable-ai' | 'disable-ai') =>
  service.post(`/api/automate/conversations/${conversation}/${action}`, undefined, owner);
const write = (conversation: string, message: string) =>
  service.post(`/api/user/conversations/${conversation}/messages`, { message }, owner);

/** An entry as the history lists it. */
const withoutIds = (entry: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => name !== 'id' && name !== 'in_reply_to'));

/** Formats the events as short strings. */
const linesOf = (events: StreamedEvent[]) =>
  events.map(({ event, data }) => {
    if (event === 'message') return `${String(data['role'])}: ${String(data['content'])}`;
    return event === 'handoff' ? `handoff ${String(data['ai_enabled'])}` : event;
  });

test('streams a human handoff and the messages of the person', async () => {
  const conversation = await service.open(assistant);
  const stream = await service.watch(conversation);
  assert.equal(stream.response.headers.get('Content-Type'), 'text/event-stream');
  assert.equal(stream.response.headers.get('Access-Control-Allow-Origin'), '*');
  await stream.until((events) => events.length === 1);
  await switchAi(conversation, 'disable-ai');
  await stream.until((events) => events.length === 3);
  await write(conversation, 'Hanna here.');
  await stream.until((events) => events.length === 4);
  await switchAi(conversation, 'enable-ai');
  const events = await stream.until((all) => all.length === 6);
  stream.disconnect();
  assert.deepEqual(linesOf(events), [
    'handoff true',
    'system: A person has joined the conversation.',
    'handoff false',
    'assistant: Hanna here.',
    'system: The assistant is back.',
    'handoff true',
  ]);
});

test('starts after the cursor of the response that contained the history', async () => {
  const opened = await service.post('/api/conversations', { assistant_id: assistant });
  const conversation = opened.json['conversation_id'] as string;
  await service.send(conversation, 'One');
  const { json } = await service.get(`/api/conversations/${conversation}`);
  await write(conversation, 'Two');
  const first = await service.watch(conversation, `?after=${String(opened.json['events_cursor'])}`);
  const second = await service.watch(conversation, `?after=${String(json['events_cursor'])}`);
  assert.deepEqual(linesOf(await first.until((events) => events.length === 4)), [
    'user: One',
    'assistant: You said: One',
    'assistant: Two',
    'handoff true',
  ]);
  assert.deepEqual(linesOf(await second.until((events) => events.length === 2)), [
    'assistant: Two',
    'handoff true',
  ]);
  first.disconnect();
  second.disconnect();
});

test('sets in_reply_to for answers, but not for messages of a person', async () => {
  const conversation = await service.open(assistant);
  await service.send(conversation, 'One');
  await write(conversation, 'Two');
  const stream = await service.watch(conversation, '?after=0');
  const events = await stream.until((all) => all.length === 5);
  stream.disconnect();
  const entries = events.filter(({ event }) => event === 'message');
  const [, question, answer, person] = entries.map(({ data }) => AddedMessage.parse(data));
  assert.equal(answer?.in_reply_to, question?.id);
  assert.equal(person?.in_reply_to, undefined);
  assert.deepEqual(
    entries.map(({ id }) => id),
    entries.map(({ data }) => data['id']),
  );
  const { json } = await service.get(`/api/conversations/${conversation}`);
  assert.deepEqual(
    json['history'],
    entries.map(({ data }) => withoutIds(data)),
  );
});

test('sends missed events once and in order after a reconnection', async () => {
  const conversation = await service.open(assistant);
  const gate = Promise.withResolvers<string>();
  model.behave({ chunks: ['Well, ', gate.promise, 'yes.'] });
  const answering = await service.stream(conversation, 'Is it?');
  await answering.until((events) => events.length === 1);
  const before = await service.watch(conversation, '?after=0');
  const seen = await before.until((events) => events.length === 3);
  before.disconnect();
  // Added before the answer that came earlier in the conversation.
  await write(conversation, 'Wait.');
  gate.resolve('');
  await answering.all();
  model.behave({});
  const after = await service.watch(conversation, '?after=0', { 'Last-Event-ID': seen.at(-2)?.id ?? '' });
  const missed = await after.until((events) => events.length === 3);
  after.disconnect();
  assert.deepEqual(linesOf([...seen, ...missed]), [
    'assistant: Welcome!',
    'user: Is it?',
    'handoff true',
    'assistant: Wait.',
    'assistant: Well, yes.',
    'handoff true',
  ]);
});

test('sends an answer to a page that was loaded while it was generated', async () => {
  const conversation = await service.open(assistant);
  const gate = Promise.withResolvers<string>();
  model.behave({ chunks: [gate.promise, 'Late.'] });
  const requests = model.requests.length;
  const left = await service.stream(conversation, 'Hello?');
  await model.received(requests + 1);
  left.disconnect();
  const { json } = await service.get(`/api/conversations/${conversation}`);
  const stream = await service.watch(conversation, `?after=${String(json['events_cursor'])}`);
  await stream.until((events) => events.length === 1);
  gate.resolve('');
  const events = await stream.until((all) => all.length === 2);
  stream.disconnect();
  model.behave({});
  assert.equal(events[1]?.data['content'], 'Late.');
});

test('closes after the end of the conversation, also by inactivity', async () => {
  const conversation = await service.open(assistant);
  const stream = await service.watch(conversation);
  await stream.until((events) => events.length === 1);
  await pool.query(`UPDATE conversations SET updated_at = now() - interval '1 day' WHERE uuid = $1`, [
    conversation,
  ]);
  assert.deepEqual(linesOf(await stream.all()), ['handoff true', 'ended']);
  const again = await service.watch(conversation);
  assert.deepEqual(linesOf(await again.all()), ['handoff true', 'ended']);
});

test('answers 204 to a client that reconnects after the end, until a person resumes the conversation', async () => {
  const conversation = await service.open(assistant);
  await pool.query('UPDATE conversations SET ended_at = now() WHERE uuid = $1', [conversation]);
  const [, ended] = await (await service.watch(conversation)).all();
  assert.equal(ended?.event, 'ended');
  const reconnect = () => service.watch(conversation, '', { 'Last-Event-ID': ended.id ?? '' });
  const { response } = await reconnect();
  assert.deepEqual([response.status, response.body], [204, null]);

  await write(conversation, 'Hanna here.');
  const resumed = await reconnect();
  assert.deepEqual(linesOf(await resumed.until((events) => events.length === 2)), [
    'assistant: Hanna here.',
    'handoff true',
  ]);

  // An end that the client has not seen.
  await pool.query('UPDATE conversations SET ended_at = now() WHERE uuid = $1', [conversation]);
  resumed.disconnect();
  const missed = await reconnect();
  assert.deepEqual(linesOf(await missed.all()), ['assistant: Hanna here.', 'handoff true', 'ended']);
});

test('closes when the conversation is deleted', async () => {
  const conversation = await service.open(assistant);
  const stream = await service.watch(conversation);
  await stream.until((events) => events.length === 1);
  await service.request('DELETE', `/api/conversations/${conversation}`);
  assert.deepEqual(linesOf(await stream.all()), ['handoff true', 'ended']);
});

test('rejects an unknown conversation and an invalid cursor', async () => {
  const unknown = await service.get(`/api/conversations/${randomUUID()}/events`);
  assert.deepEqual([unknown.status, unknown.json], [404, { status: false, error: 'Conversation not found' }]);
  const conversation = await service.open(assistant);
  const invalid = await service.get(`/api/conversations/${conversation}/events?after=x`);
  assert.equal(invalid.status, 422);
});

test('sends keep-alive comments', async () => {
  const other = await startService({ KEEP_ALIVE_SECONDS: '1' });
  const conversation = await other.open(assistant);
  const stream = await other.watch(conversation);
  await stream.until((_, comments) => comments.length > 0);
  stream.disconnect();
});

test('limits a conversation to eight open streams', async () => {
  const conversation = await service.open(assistant);
  const streams = await Promise.all(Array.from({ length: 8 }, () => service.watch(conversation)));
  assert.deepEqual([...new Set(streams.map(({ response }) => response.status))], [200]);
  const { status, json, headers } = await service.get(`/api/conversations/${conversation}/events`);
  assert.deepEqual([status, json], [429, { message: 'Too Many Attempts.', retry_after: 30 }]);
  assert.equal(headers.get('Retry-After'), '30');
  streams[0]?.disconnect();
  let reopened = await service.watch(conversation);
  while (reopened.response.status === 429) reopened = await service.watch(conversation);
  for (const stream of [...streams.slice(1), reopened]) stream.disconnect();
});

test('opens no stream for HEAD', async () => {
  const conversation = await service.open(assistant);
  for (let request = 0; request < 9; request++) {
    const { status, headers } = await service.request('HEAD', `/api/conversations/${conversation}/events`);
    assert.deepEqual([status, headers.get('Content-Type')], [200, 'text/event-stream']);
  }
});

test('limits an address to 200 open streams', async () => {
  const limited = await startService({ RATE_LIMIT: '100000' });
  const all = await Promise.all(Array.from({ length: 26 }, () => limited.open(assistant)));
  const [another = '', ...conversations] = all;
  const streams = await Promise.all(
    conversations.flatMap((conversation) => Array.from({ length: 8 }, () => limited.watch(conversation))),
  );
  assert.ok(streams.every(({ response }) => response.status === 200));
  const further = await limited.watch(another);
  assert.equal(further.response.status, 429);
  for (const stream of [...streams, further]) stream.disconnect();
});

test('limits an IPv6 /48 to 800 open streams, four times those of a block', async () => {
  const events = new ConversationEvents({
    database: service.running.database,
    notifier: new ChangeNotifier(),
    log: createLog('silent'),
  });
  const conversations = await Promise.all(Array.from({ length: 101 }, () => service.open(assistant)));
  const open = (index: number, network = '2001:db8:7') =>
    events.open(conversations[index >> 3] ?? '', {
      cursor: undefined,
      visitor: { addressBlock: `${network}:${index}::/64`, addressNetwork: `${network}::/48` },
    });
  for (let index = 0; index < 800; index++) await open(index);
  await assert.rejects(open(800), TooManyStreamsError);
  await open(800, '2001:db8:8');
  await events.close();
});

test(
  'receives changes of other processes by notification, and by polling if notifications fail',
  { skip: testDatabase === 'pglite' && 'an embedded database belongs to one process' },
  async (test) => {
    const env = await newDatabase();
    const [here, there] = [await startService(env), await startService(env)];
    const { uuid, userId: id } = await createAssistant(here);
    const key = { Authorization: `Bearer ${await createApiKey(here.running.database.db, id, 'Desk')}` };
    const conversation = await here.open(uuid);
    // Neither polls nor opens a lost connection again until the time passes.
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const stream = await here.watch(conversation);
    await stream.until((events) => events.length === 1);
    const say = (message: string) =>
      there.post(`/api/user/conversations/${conversation}/messages`, { message }, key);
    const listeners = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_notify%'
      AND pid <> pg_backend_pid()`;
    const listening = () => there.running.database.pool.query(`SELECT pid ${listeners}`);
    while ((await listening()).rowCount === 0) await nextTurn();
    await say('One');
    await stream.until((events) => events.length === 2);
    await there.running.database.pool.query(`SELECT pg_terminate_backend(pid) ${listeners}`);
    while ((await listening()).rowCount !== 0) await nextTurn();
    await say('Two');
    test.mock.timers.tick(5000);
    const events = await stream.until((all) => all.length === 3);
    stream.disconnect();
    assert.deepEqual(linesOf(events), ['handoff true', 'assistant: One', 'assistant: Two']);
  },
);

test('sends an answer that comes after the end of a conversation, also from another process', async () => {
  const { uuid, id } = await createAssistant(service);
  await pool.query('UPDATE assistants SET conversation_ended_retrigger = true WHERE id = $1', [id]);
  const conversation = await service.open(uuid);
  const other = await startService();
  const stream = await other.watch(conversation);
  // A message that is sent while the stream opens may come before the state of the handoff.
  await stream.until((events) => events.length === 1);
  const gate = Promise.withResolvers<string>();
  model.behave({ chunks: [gate.promise, 'Late.'] });
  const sent = service.send(conversation, 'Hello?');
  await stream.until((events) => events.length === 2);
  // The answer to another message has ended it.
  await pool.query('UPDATE conversations SET ended_at = now() WHERE uuid = $1', [conversation]);
  gate.resolve('');
  assert.equal((await sent).status, 200);
  const events = await stream.until((all) => all.length === 3);
  stream.disconnect();
  model.behave({});
  assert.deepEqual(linesOf(events), ['handoff true', 'user: Hello?', 'assistant: Late.']);
});

test('reports the end of a conversation after its last reply', async () => {
  const { uuid } = await createAssistant(service, {
    balance: '1',
    limits: { maxConversationMessages: 1 },
  });
  const conversation = await service.open(uuid);
  const gate = Promise.withResolvers<string>();
  const requests = model.requests.length;
  model.behave({ chunks: [gate.promise, 'The last one.'] });
  const sent = service.send(conversation, 'Hello?');
  await model.received(requests + 1);
  const { json } = await service.get(`/api/conversations/${conversation}`);
  assert.equal(json['ended'], false);
  const stream = await service.watch(conversation, '?after=0');
  await stream.until((events) => events.length === 2);
  gate.resolve('');
  assert.equal((await sent).status, 200);
  assert.deepEqual(linesOf(await stream.all()), [
    'user: Hello?',
    'handoff true',
    'assistant: The last one.',
    'ended',
  ]);
  model.behave({});
});

test('reports the end of a conversation after its last reply has failed in another process', async () => {
  const { uuid } = await createAssistant(service, { balance: '1' });
  const conversation = await service.open(uuid);
  const other = await startService();
  const gate = Promise.withResolvers<string>();
  const requests = model.requests.length;
  model.behave({ chunks: [gate.promise] });
  const sent = service.send(conversation, 'Hello?');
  await model.received(requests + 1);
  // The answer to another message has ended it.
  await pool.query('UPDATE conversations SET ended_at = now() WHERE uuid = $1', [conversation]);
  const stream = await other.watch(conversation, '?after=0');
  await stream.until((events) => events.length === 2);
  const { json } = await other.get(`/api/conversations/${conversation}`);
  assert.equal(json['ended'], false);
  gate.resolve('');
  assert.equal((await sent).status, 400);
  assert.deepEqual(linesOf(await stream.all()), ['user: Hello?', 'handoff true', 'ended']);
  model.behave({});
});

test('closes streams when the service stops', async () => {
  const stopping = await startService();
  const stream = await stopping.watch(await stopping.open(assistant));
  await stream.until((events) => events.length === 1);
  const closed = stopping.running.close();
  await stream.all();
  await closed;
});

test('closes a stream at once that opens while the service is stopping', async () => {
  const events = new ConversationEvents({
    database: service.running.database,
    notifier: new ChangeNotifier(),
    log: createLog('silent'),
  });
  await events.close();
  const stream = await events.open(await service.open(assistant), { cursor: undefined, visitor: undefined });
  assert.ok(stream);
  const types: string[] = [];
  for await (const { type } of stream.events) types.push(type);
  assert.deepEqual(types, ['handoff']);
  stream.close();
});
