import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { requestLimits } from '../../src/contract/limits.ts';
import { createAssistant, startService } from '../support/service/service.ts';

const service = await startService();
const { uuid: assistant } = await createAssistant(service);

/** A valid body of exactly that many bytes. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ assistant_id: assistant, padding: '' });
  return JSON.stringify({ assistant_id: assistant, padding: 'x'.repeat(bytes - empty.length) });
}

/** Sends a chunked body without Content-Length. */
async function postChunked(body: string): Promise<{ status: number | undefined; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; text: string }>();
  const outgoing = request(`${service.url}/api/conversations`, { method: 'POST' }, (response) => {
    text(response).then((body) => {
      resolve({ status: response.statusCode, text: body });
    }, reject);
  });
  outgoing.on('error', reject);
  for (let start = 0; start < body.length; start += 65_536) outgoing.write(body.slice(start, start + 65_536));
  outgoing.end();
  return promise;
}

test('accepts a body at the limit and refuses one byte more', async () => {
  assert.equal((await service.post('/api/conversations', bodyOf(requestLimits.requestBody))).status, 200);
  const { status, json, headers } = await service.post(
    '/api/conversations',
    bodyOf(requestLimits.requestBody + 1),
  );
  assert.equal(status, 413);
  assert.deepEqual(json, { status: false, error: 'the body may have at most 1048576 bytes' });
  assert.equal(headers.get('Access-Control-Allow-Origin'), '*');
});

test('refuses a longer body without Content-Length, too', async () => {
  assert.equal((await postChunked(bodyOf(requestLimits.requestBody))).status, 200);
  const refused = await postChunked(bodyOf(requestLimits.requestBody + 1));
  assert.equal(refused.status, 413);
  assert.deepEqual(JSON.parse(refused.text), {
    status: false,
    error: 'the body may have at most 1048576 bytes',
  });
});

test('checks the key before it reads the body', async () => {
  for (const path of ['/api/user/knowledgebases/1/documents', '/api/automate/conversations/1/enable-ai']) {
    const outgoing = request(service.url + path, { method: 'POST' });
    // The body never ends, so a service that reads it first never answers.
    outgoing.write('x');
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 401);
    outgoing.on('error', () => undefined).destroy();
  }
});

test('reads the rest of the body before it rejects a key, so that a client that is still sending gets the response', async () => {
  const outgoing = request(`${service.url}/api/user/knowledgebases/1/documents`, { method: 'POST' });
  let isAnswered = false;
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.on('response', () => (isAnswered = true));
  for (let chunk = 0; chunk < 64; chunk++) {
    await new Promise((resolve) => outgoing.write('x'.repeat(65_536), resolve));
  }
  assert.equal(isAnswered, false);
  outgoing.end();
  const [response] = await answered;
  assert.equal(response.statusCode, 401);
  assert.equal(response.headers.connection, 'keep-alive');
  response.resume();
});

test('keeps connections open for longer than a proxy does', async () => {
  const { headers } = await service.get('/healthz');
  assert.equal(headers.get('Keep-Alive'), 'timeout=75');
});

test('serves requests after refusing a body', async () => {
  await service.post('/api/conversations', bodyOf(requestLimits.requestBody * 3)).catch(() => undefined);
  assert.equal((await service.post('/api/conversations', { assistant_id: assistant })).status, 200);
});
