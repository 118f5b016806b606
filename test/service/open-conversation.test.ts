import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createAssistant, startService } from '../support/service/service.ts';
import { wireTimestamp } from '../support/service/service-client.ts';

const service = await startService();

test('returns the UUID and the initial message', async () => {
  const assistant = await createAssistant(service, { initialMessage: 'Welcome!' });
  const { status, json, headers } = await service.post('/api/conversations', {
    assistant_id: assistant.uuid,
  });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json), ['status', 'conversation_id', 'history', 'events_cursor']);
  assert.equal(json['status'], true);
  assert.match(
    json['conversation_id'] as string,
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  const [greeting] = json['history'] as Record<string, string>[];
  assert.deepEqual(
    { ...greeting, created_at: '' },
    { role: 'assistant', content: 'Welcome!', created_at: '' },
  );
  assert.match(greeting?.['created_at'] ?? '', wireTimestamp);
  assert.equal(headers.get('Cache-Control'), 'no-store');
});

test('returns an empty history without an initial message', async () => {
  for (const initialMessage of ['', '  ', '{{unknown}}']) {
    const assistant = await createAssistant(service, { initialMessage });
    const { json } = await service.post('/api/conversations', { assistant_id: assistant.uuid });
    assert.deepEqual(json['history'], []);
  }
});

test('accepts the UUID of an assistant in any letter case', async () => {
  const assistant = await createAssistant(service);
  const { status } = await service.post('/api/conversations', { assistant_id: assistant.uuid.toUpperCase() });
  assert.equal(status, 200);
});

test('returns 404 for an unknown or deleted assistant', async () => {
  const deleted = await createAssistant(service);
  await service.running.database.pool.query('UPDATE assistants SET deleted_at = now() WHERE id = $1', [
    deleted.id,
  ]);
  for (const uuid of [randomUUID(), deleted.uuid]) {
    const { status, json } = await service.post('/api/conversations', { assistant_id: uuid });
    assert.equal(status, 404);
    assert.deepEqual(json, { status: false, error: 'Assistant not found' });
  }
});

test('opens conversations with inactive assistants', async () => {
  const assistant = await createAssistant(service);
  await service.running.database.pool.query("UPDATE assistants SET status = 'inactive' WHERE id = $1", [
    assistant.id,
  ]);
  assert.equal((await service.post('/api/conversations', { assistant_id: assistant.uuid })).status, 200);
});

const refusals: [name: string, body: unknown, error: string][] = [
  ['no body at all', '', 'assistant_id is required'],
  ['an empty object', {}, 'assistant_id is required'],
  ['a null id', { assistant_id: null }, 'assistant_id is required'],
  ['an id that is not a UUID', { assistant_id: 'abc' }, 'assistant_id must be a UUID'],
  ['a number as id', { assistant_id: 7 }, 'assistant_id must be a UUID'],
  ['an unknown type', { assistant_id: randomUUID(), type: 'phone' }, 'type must be widget or test'],
  ['an array', [], 'the body must be a JSON object'],
  ['a string', '"hello"', 'the body must be a JSON object'],
  ['broken JSON', '{"assistant_id":', 'the body must be valid JSON'],
  [
    'variables that are a list',
    { assistant_id: randomUUID(), variables: [1] },
    'variables must be an object',
  ],
];
for (const [name, body, error] of refusals) {
  test(`refuses ${name}: ${error}`, async () => {
    const { status, json } = await service.post('/api/conversations', body);
    assert.equal(status, 422);
    assert.deepEqual(json, { status: false, error });
  });
}

test('treats a null type and null variables as absent', async () => {
  const assistant = await createAssistant(service);
  const { status } = await service.post('/api/conversations', {
    assistant_id: assistant.uuid,
    type: null,
    variables: null,
  });
  assert.equal(status, 200);
});

test('ignores unknown fields of the body', async () => {
  const assistant = await createAssistant(service);
  const { status } = await service.post('/api/conversations', {
    assistant_id: assistant.uuid,
    extra: { deep: [1] },
  });
  assert.equal(status, 200);
});

test('reads a body of any content type as JSON', async () => {
  const assistant = await createAssistant(service);
  const body = JSON.stringify({ assistant_id: assistant.uuid });
  assert.equal(
    (await service.post('/api/conversations', body, { 'Content-Type': 'text/plain' })).status,
    200,
  );
});
