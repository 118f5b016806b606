import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { sql } from 'drizzle-orm';
import { createLog, describeError } from '../../src/service/log.ts';
import { createAudioClient } from '../../src/service/voice/audio-endpoint.ts';
import { startService } from '../support/service/service.ts';

const { db } = (await startService()).running.database;

test('logs a failed query with its code and stack, without its values', async () => {
  for (const query of [
    sql`SELECT ${'PrivateText'}::integer`,
    sql`INSERT INTO languages (id, name, iso_2) VALUES (999, 'PrivateText', 'PrivateText')`,
    sql`SELECT * FROM nowhere WHERE text = ${'PrivateText'}`,
  ]) {
    const error: unknown = await db.execute(query).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const logged = describeError(error);
    assert.doesNotMatch(JSON.stringify(logged), /PrivateText/);
    assert.match(logged.cause?.code ?? '', /^[0-9A-Z]{5}$/);
    assert.match(logged.stack ?? '', /log\.test\.ts/);
  }
});

test('logs the status of a refused request to a server of speech, without the key and texts in its message', async (t) => {
  const server = createServer((_request, response) => {
    const error = { message: 'Incorrect API key provided: sk-private', code: 'invalid_api_key' };
    response.writeHead(401, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }));
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createAudioClient({ baseUrl, apiKey: 'sk-private', model: 'm' });
  const refused: unknown = await client.models.list().catch((error: unknown) => error);
  const logged = describeError(new Error('no speech', { cause: refused }));
  assert.doesNotMatch(JSON.stringify(logged), /sk-private/);
  const { type, status, code } = logged.cause ?? {};
  assert.deepEqual([type, status, code], ['AuthenticationError', 401, 'invalid_api_key']);
});

test('logs other errors with their message, and other thrown values with their type', () => {
  const logged = describeError(new TypeError('x is not a function', { cause: new Error('because') }));
  assert.equal(logged.type, 'TypeError');
  assert.equal(logged.message, 'x is not a function');
  assert.equal(logged.cause?.message, 'because');
  assert.deepEqual(describeError('PrivateText'), { type: 'string' });
  const { errors } = describeError(new AggregateError([new TypeError('first'), 'PrivateText']));
  assert.deepEqual([errors?.[0]?.message, errors?.[1]], ['first', { type: 'string' }]);
});

test('keeps working while the log cannot be written, then writes lines again, without keeping them all', (t) => {
  let isFull = true;
  let written = '';
  t.mock.method(fs, 'writeSync', (_fd: number, data: string | Buffer) => {
    if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    written += data.toString();
    return Buffer.byteLength(data);
  });
  const log = createLog('info');
  const [line, lines] = ['x'.repeat(1000), 5000];
  for (let count = 0; count < lines; count++) log.info(line);
  isFull = false;
  log.info('there is space again');
  log.info('latest');
  assert.match(written, /"msg":"latest"/);
  assert.ok(written.length < (lines * line.length) / 2, `${written.length} characters were kept`);
});
