import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createAssistant, startService } from '../support/service/service.ts';

const service = await startService({ RATE_LIMIT: '1000' });
const { uuid: assistant } = await createAssistant(service, { balance: '0' });
const Origin = 'https://shop.example';

test('allows pages of any origin to call the public endpoints, without credentials', async () => {
  for (const [path, method] of [
    ['/api/conversations', 'POST'],
    [`/api/conversations/${randomUUID()}/messages`, 'POST'],
    [`/api/conversations/${randomUUID()}`, 'GET'],
    [`/api/conversations/${randomUUID()}/events`, 'GET'],
    [`/api/conversations/${randomUUID()}`, 'DELETE'],
    [`/api/conversations/${randomUUID()}/stop`, 'POST'],
    [`/api/assistants/${assistant}/widget`, 'GET'],
  ] as const) {
    const { status, headers } = await service.request('OPTIONS', path, undefined, {
      Origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'content-type,idempotency-key,if-none-match,last-event-id',
    });
    assert.equal(status, 204);
    assert.equal(headers.get('Access-Control-Allow-Origin'), '*');
    assert.equal(headers.get('Access-Control-Allow-Credentials'), null);
    assert.match(headers.get('Access-Control-Allow-Methods') ?? '', new RegExp(method));
    for (const name of ['Content-Type', 'Accept', 'Idempotency-Key', 'If-None-Match', 'Last-Event-ID']) {
      assert.match(headers.get('Access-Control-Allow-Headers') ?? '', new RegExp(name, 'i'));
    }
    assert.ok(Number(headers.get('Access-Control-Max-Age')) > 0);
  }
});

test('exposes errors and Retry-After to pages', async () => {
  const answers = [
    await service.post('/api/conversations', { assistant_id: assistant }, { Origin }),
    await service.post('/api/conversations', {}, { Origin }),
    await service.get(`/api/conversations/${randomUUID()}`, { Origin }),
    await service.get(`/api/assistants/${randomUUID()}/widget`, { Origin }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [400, 422, 404, 404],
  );
  for (const { headers } of answers) {
    assert.equal(headers.get('Access-Control-Allow-Origin'), '*');
    assert.match(headers.get('Access-Control-Expose-Headers') ?? '', /Retry-After/i);
  }
});

test('exposes the ETag of the settings to pages', async () => {
  const path = `/api/assistants/${assistant}/widget`;
  const first = await service.get(path, { Origin });
  const etag = first.headers.get('ETag') ?? '';
  const unchanged = await service.get(path, { Origin, 'If-None-Match': etag });
  assert.deepEqual([first.status, unchanged.status], [200, 304]);
  for (const { headers } of [first, unchanged]) {
    assert.match(headers.get('Access-Control-Expose-Headers') ?? '', /\bETag\b/i);
  }
});

test('does not allow pages to call the endpoints that require a key', async () => {
  for (const method of ['OPTIONS', 'GET']) {
    for (const path of ['/api/user/me', `/api/automate/conversations/${randomUUID()}/enable-ai`]) {
      const { headers } = await service.request(method, path, undefined, { Origin });
      assert.equal(headers.get('Access-Control-Allow-Origin'), null);
    }
  }
});

test('does not count preflight requests against the rate limit', async () => {
  const limited = await startService({ RATE_LIMIT: '1' });
  const preflight = { Origin, 'Access-Control-Request-Method': 'POST' };
  for (let attempt = 0; attempt < 3; attempt++) {
    assert.equal((await limited.request('OPTIONS', '/api/conversations', undefined, preflight)).status, 204);
  }
});
