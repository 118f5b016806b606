import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { once } from 'node:events';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { Reply } from '../../../src/service/conversation/reply.ts';
import { listen } from '../../../src/service/http/listen.ts';
import { streamReply } from '../../../src/service/routes/stream-reply.ts';
import { demoAssistants } from '../../../src/service/seed/demo-assistants.ts';
import { seedDemo } from '../../../src/service/seed/seed-demo.ts';
import { freePort } from '../../support/process/free-port.ts';
import { selfSignedCertificate } from '../../support/servers/self-signed-certificate.ts';
import { startModelServer } from '../../support/servers/model-server.ts';
import { spawnService, startServiceProcess } from '../../support/service/service-process.ts';
import {
  atEnd,
  copyDatabase,
  newDatabase,
  startService,
  testDatabase,
} from '../../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const assistant = demoAssistants[0]?.uuid ?? '';

const original = await newDatabase();
const { running } = await startService(original);
const { apiKey } = await seedDemo(running.database, original['DATA_DIR'] ?? '');
await running.close();
const bearer = { Authorization: `Bearer ${apiKey}` };

/** Environment variables for a new database with the demo's records, and for the language model. */
const seeded = async () => ({
  ...(await copyDatabase(original)),
  LLM_BASE_URL: model.url,
  LLM_API_KEY: 'sk-secret-key',
});

test('finishes pending replies on a stop, refuses new requests and exits with code 0', async () => {
  const env = await seeded();
  const service = await startServiceProcess(env);
  const gate = Promise.withResolvers<undefined>();
  model.behave({ gate: gate.promise, chunks: ['Just ', 'in ', 'time'] });
  const calls = model.requests.length;
  const conversation = await service.open(assistant);
  const other = await service.open(assistant);
  const answer = service.send(conversation, 'Quick!');
  const stream = await service.stream(other, 'Quick!');
  await model.received(calls + 2);

  service.signal('SIGTERM');
  await service.child.waitForLine('stderr', (line) => (line.includes('"stopping"') ? true : undefined));
  await assert.rejects(service.get('/healthz'));
  gate.resolve(undefined);
  assert.equal((await answer).json['message'], 'Just in time');
  assert.equal((await stream.all()).at(-1)?.data['message'], 'Just in time');
  assert.equal(await service.child.ended, 0);

  const next = await startService(env);
  assert.equal((await next.history(conversation)).at(-1), 'assistant: Just in time');
  assert.equal((await next.get('/api/user/me', bearer)).json['total_balance'], 24.98);
  model.behave({});
});

/** Sends a message up to its body; returns a function that sends the body and resolves with the response's text. */
async function beginMessage(
  url: string,
  conversation: string,
  accept: string,
): Promise<(message: string) => Promise<string>> {
  const outgoing = request(`${url}/api/conversations/${conversation}/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: accept, Expect: '100-continue' },
  });
  const response = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.flushHeaders();
  // The server emits this when it begins to handle the request.
  await once(outgoing, 'continue');
  return async (message) => {
    outgoing.end(JSON.stringify({ message }));
    const [incoming] = await response;
    return text(incoming);
  };
}

test('answers and stores messages that are being accepted during a stop', async () => {
  const env = await seeded();
  const service = await startServiceProcess(env);
  const gate = Promise.withResolvers<undefined>();
  model.behave({ gate: gate.promise, chunks: ['Just in time'] });
  const calls = model.requests.length;
  const conversation = await service.open(assistant);
  const other = await service.open(assistant);
  const sendBody = await beginMessage(service.url, conversation, 'application/json');
  const sendStreamedBody = await beginMessage(service.url, other, 'text/event-stream');

  service.signal('SIGTERM');
  await service.child.waitForLine('stderr', (line) => (line.includes('"stopping"') ? true : undefined));
  const responses = Promise.all([sendBody('Quick!'), sendStreamedBody('Quick!')]);
  await model.received(calls + 2);
  // Longer than the service keeps connections open after the last reply.
  await delay(2500);
  gate.resolve(undefined);
  const [answer, streamed] = await responses;
  assert.equal((JSON.parse(answer) as { message: string }).message, 'Just in time');
  assert.match(streamed, /event: done\ndata: .*"Just in time"/);
  assert.equal(await service.child.ended, 0);

  const next = await startService(env);
  for (const uuid of [conversation, other])
    assert.equal((await next.history(uuid)).at(-1), 'assistant: Just in time');
  assert.equal((await next.get('/api/user/me', bearer)).json['total_balance'], 24.98);
  model.behave({});
});

test('closes event streams at once on a stop, while replies are still being written', async () => {
  const service = await startServiceProcess(await seeded());
  const gate = Promise.withResolvers<undefined>();
  model.behave({ gate: gate.promise, chunks: ['Just in time'] });
  const calls = model.requests.length;
  const conversation = await service.open(assistant);
  const events = await service.watch(await service.open(assistant));
  const answer = service.send(conversation, 'Quick!');
  await model.received(calls + 1);
  service.signal('SIGTERM');
  await events.all();
  gate.resolve(undefined);
  assert.equal((await answer).json['message'], 'Just in time');
  assert.equal(await service.child.ended, 0);
  model.behave({});
});

test('exits at once on a second signal, but not if one signal is forwarded twice', async () => {
  const service = await startServiceProcess(await seeded());
  const gate = Promise.withResolvers<undefined>();
  model.behave({ gate: gate.promise });
  const calls = model.requests.length;
  const answer = service.send(await service.open(assistant), 'Quick!');
  const cutOff = assert.rejects(answer);
  await model.received(calls + 1);
  // Two different ones, since the system may merge equal signals that are pending.
  service.signal('SIGINT');
  service.signal('SIGTERM');
  await service.child.waitForLine('stderr', (line) => (line.includes('"stopping"') ? true : undefined));
  await delay(600);
  service.signal('SIGINT');
  assert.equal(await service.child.ended, 130);
  await cutOff;
  gate.resolve(undefined);
  model.behave({});
});

test('fails and refunds a reply that exceeds the time limit of a stop', async () => {
  const env = await seeded();
  const service = await startServiceProcess({ ...env, SHUTDOWN_SECONDS: '0.2' });
  model.behave({ chunks: ['Endless'], ending: 'silence' });
  const conversation = await service.open(assistant);
  const stream = await service.stream(conversation, 'Go on');
  await stream.until((events) => events.length > 0);
  service.signal('SIGINT');
  const last = (await stream.all()).at(-1);
  assert.equal(last?.event, 'error');
  assert.match(last.data['error'] as string, /restarted/);
  assert.equal(await service.child.ended, 0);

  const next = await startService(env);
  assert.equal((await next.get('/api/user/me', bearer)).json['total_balance'], 25);
  model.behave({});
});

test('refunds the reply of a dead process and leaves its message out of the history', async () => {
  const env = await seeded();
  const lease = { REPLY_LEASE_SECONDS: '2' };
  const service = await startServiceProcess({ ...env, ...lease });
  model.behave({ chunks: ['Never'], ending: 'silence' });
  const conversation = await service.open(assistant);
  const stream = await service.stream(conversation, 'Anyone?');
  await stream.until((events) => events.length > 0);
  service.signal('SIGKILL');
  assert.equal(await service.child.ended, 'SIGKILL');
  model.behave({});

  const next = await startService({ ...env, ...lease });
  let balance: unknown;
  while (balance !== 25) balance = (await next.get('/api/user/me', bearer)).json['total_balance'];
  assert.equal((await next.history(conversation)).length, 1);
  assert.equal((await next.send(conversation, 'Again')).status, 200);
});

test('renews the lease of a reply until it is settled', async () => {
  const env = await seeded();
  const service = await startServiceProcess({ ...env, REPLY_LEASE_SECONDS: '0.3' });
  // Longer than three leases.
  model.behave({ chunks: Array.from({ length: 12 }, () => 'word '), pause: 100 });
  const conversation = await service.open(assistant);
  assert.equal((await service.send(conversation, 'Slowly')).status, 200);
  await service.stop();
  model.behave({});
});

test('reports a port that is in use', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const { port } = blocker.address() as AddressInfo;
  const child = spawnService({ ...(await newDatabase()), PORT: String(port) });
  assert.equal(await child.ended, 1);
  blocker.close();
  // After log lines about the settings.
  assert.equal(
    child.output().trimEnd().split('\n').at(-1),
    `Port ${port} is in use. Set PORT to another one, or to 0 for any free one.`,
  );
});

test('reports an address that the machine does not have', async () => {
  await assert.rejects(listen(createServer(), '192.0.2.7', 3000), {
    name: 'CannotListenError',
    message:
      /^Cannot listen on port 3000 of 192\.0\.2\.7 \(EADDRNOTAVAIL\)\. HOST must be an address of this machine/,
  });
});

test(
  'reports a data folder that is in use, and does not disturb its process',
  { skip: testDatabase === 'postgres' && 'a PostgreSQL server may be shared' },
  async () => {
    const env = await seeded();
    const first = await startServiceProcess(env);
    const child = spawnService(env);
    assert.equal(await child.ended, 1);
    assert.match(
      child.output(),
      /^The data folder .* is in use by another process\. [^\n]*DATA_DIR[^\n]*\n$/,
    );
    await first.open(assistant);
    first.signal('SIGKILL');
    await first.child.ended;
    // A crash leaves no lock behind.
    const next = await startService(env);
    await next.open(assistant);
  },
);

test('exits if its start fails while it already listens, and says why', async () => {
  const env = await newDatabase();
  const { running } = await startService(env);
  await running.database.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'The disk is full.'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON jobs.job FOR EACH ROW
      WHEN (NEW.name = 'hourly-maintenance') EXECUTE FUNCTION refuse()`);
  await running.close();
  const child = spawnService(env);
  assert.equal(await child.ended, 1);
  assert.match(child.output(), /^Cause: error: The disk is full\.\n\s+at /m);
});

test('reports a database that cannot be reached', async () => {
  const child = spawnService({ DATABASE_URL: `postgres://user:hunter2@127.0.0.1:${await freePort()}/chat` });
  assert.equal(await child.ended, 1);
  assert.match(
    child.output(),
    /^Cannot connect to the PostgreSQL server that DATABASE_URL names: [^\n]+\.\n$/,
  );
  assert.doesNotMatch(child.output(), /hunter2/);
});

test('says how to write a password with special characters into the address of a database', async () => {
  const child = spawnService({ DATABASE_URL: 'postgres://user:hunter#2@127.0.0.1/chat' });
  assert.equal(await child.ended, 1);
  assert.match(child.output(), /Percent-encode special characters in the password, such as # as %23\.\n$/);
  assert.doesNotMatch(child.output(), /hunter/);
});

test('says how to trust the certificate of a database', async () => {
  const secureContext = createSecureContext(selfSignedCertificate('localhost'));
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    // A PostgreSQL client asks for TLS first; S accepts.
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => undefined);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(async () => {
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  const child = spawnService({ DATABASE_URL: `postgres://u:p@localhost:${port}/chat?sslmode=verify-full` });
  assert.equal(await child.ended, 1);
  assert.match(child.output(), /self-signed certificate.* sslmode=verify-full&sslrootcert=<file>\.\n$/);
});

test('reports an invalid setting', async () => {
  const child = spawnService({ ...(await newDatabase()), PORT: '99999' });
  assert.equal(await child.ended, 1);
  assert.equal(child.output(), 'PORT must be a number from 0 to 65535.\n');
});

test('logs JSON lines on standard error, without texts, keys or conversation UUIDs', async () => {
  const env = await seeded();
  const service = await startServiceProcess({ ...env, LOG_LEVEL: 'trace' });
  const conversation = await service.open(assistant, { variables: { first_name: 'PrivateName' } });
  await service.send(conversation, 'PrivateText', { 'Idempotency-Key': 'PrivateKey' });
  await (await service.stream(conversation, 'PrivateText')).all();
  model.behave({ status: 401 });
  await service.send(conversation, 'PrivateText');
  model.behave({});
  await service.get(`/api/conversations/${conversation}`);
  await service.get(`/api/conversations/${conversation}/unknown?text=PrivateText`);
  await service.get('/api/user/me', bearer);
  await service.get('/PrivateText');
  await service.stop();
  const logged = service.child.output();
  for (const line of logged.trim().split('\n')) JSON.parse(line);
  assert.ok(logged.includes('/api/conversations/:uuid/messages'));
  for (const secret of [
    'PrivateText',
    'PrivateName',
    'PrivateKey',
    conversation,
    apiKey,
    'sk-secret-key',
    'leaked',
  ]) {
    assert.ok(!logged.includes(secret), secret);
  }
});

test('reports in the health check whether the database responds', async () => {
  const service = await startService(await newDatabase());
  assert.deepEqual((await service.get('/healthz')).json, { status: 'ok' });
  await service.running.database.pool.end();
  const { status, json } = await service.get('/healthz');
  assert.equal(status, 503);
  assert.deepEqual(json, { status: 'unavailable' });
});

test('cuts the stream of a client that stops reading, and finishes the reply', async () => {
  const reply = new Reply();
  const opened = Promise.withResolvers<HttpBindings['outgoing']>();
  const app = new Hono<{ Bindings: HttpBindings }>().get('/', (c) => {
    opened.resolve(c.env.outgoing);
    return streamReply(c, reply, 20);
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await listen(server, '127.0.0.1', 0);
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  atEnd(async () => {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const outgoing = await opened.promise;
  // Exceeds the buffers of both sides.
  for (let count = 0; count < 320; count++) reply.emit({ type: 'delta', text: 'x'.repeat(100_000) });
  if (!outgoing.closed) await once(outgoing, 'close');
  assert.equal(outgoing.writableFinished, false);
  reply.complete({ text: 'Done', functionCalls: [], aiEnabled: true });
  assert.equal((await reply.answer).text, 'Done');
});
