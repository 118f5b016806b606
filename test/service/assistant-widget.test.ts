import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createAssistant, startService } from '../support/service/service.ts';

const service = await startService();
const settings = { theme: 'dark', color: '#f2d9a6', position: 'left-top' };
const { uuid, id } = await createAssistant(service, {
  name: 'Kim',
  systemPrompt: 'Secret instructions',
  variables: { secret: 1 },
  widgetSettings: { ...settings, internal: 'no' },
});
const path = `/api/assistants/${uuid}/widget`;

test('returns only the name, language, appearance and calls of an assistant', async () => {
  const { status, json } = await service.get(path);
  assert.equal(status, 200);
  const data = { name: 'Kim', language: 'en', widget_settings: settings, web_calls: false };
  assert.deepEqual(json, { status: true, data });
});

test('sends an ETag and a cache lifetime', async () => {
  const { headers } = await service.get(path, { 'Accept-Encoding': 'gzip, br' });
  const etag = headers.get('ETag') ?? '';
  assert.match(etag, /^"[^"]+"$/);
  assert.match(headers.get('Cache-Control') ?? '', /^public, max-age=\d+$/);

  const unchanged = await service.get(path, { 'If-None-Match': etag });
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.text, '');
  assert.equal(unchanged.headers.get('ETag'), etag);
  assert.equal(unchanged.headers.get('Access-Control-Allow-Origin'), '*');

  await service.running.database.pool.query("UPDATE assistants SET name = 'Kim II' WHERE id = $1", [id]);
  const changed = await service.get(path, { 'If-None-Match': etag });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get('ETag'), etag);
});

test('omits missing and invalid settings', async () => {
  const withInvalidSettings = await createAssistant(service, { widgetSettings: { theme: 5, color: null } });
  const { json } = await service.get(`/api/assistants/${withInvalidSettings.uuid}/widget`);
  assert.deepEqual((json['data'] as Record<string, unknown>)['widget_settings'], {});
});

test('returns an uncacheable 404 for an unknown assistant or an invalid UUID', async () => {
  for (const unknown of [randomUUID(), 'abc', '%00']) {
    const { status, json, headers } = await service.get(`/api/assistants/${unknown}/widget`);
    assert.equal(status, 404);
    assert.deepEqual(json, { status: false, error: 'Assistant not found' });
    assert.doesNotMatch(headers.get('Cache-Control') ?? '', /max-age/);
  }
});

test('accepts the UUID in any letter case', async () => {
  assert.equal((await service.get(`/api/assistants/${uuid.toUpperCase()}/widget`)).status, 200);
});
