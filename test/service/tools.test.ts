import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Tool } from '../../src/contract/tool.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { flag, many, testFields, textOf, whole } from '../support/records/field-table.ts';
import type { FieldRow } from '../support/records/field-table.ts';
import { Owner } from '../support/records/owner.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const owner = await Owner.create(service);

const body = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'look_up_order',
  description: 'Looks up an order by its number.',
  endpoint: 'https://shop.example/orders',
  method: 'GET',
  ...more,
});
const parameter = (more: object) => [{ name: 'order', type: 'string', description: 'Its number', ...more }];
/** Parameters with different names, of letters only. */
const parameters = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...parameter({})[0],
    name: `p_${String(index).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')}`,
  }));
const header = (more: object) => [{ name: 'X-Key', value: 'secret', ...more }];

describe('creating a tool', () => {
  test('returns the whole record with its defaults', async () => {
    const { status, json } = await owner.post('tools', body());
    assert.equal(status, 201);
    const { id, created_at, updated_at, ...rest } = json['data'] as Record<string, unknown>;
    assert.ok(Number.isInteger(id));
    assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.equal(updated_at, created_at);
    assert.deepEqual(rest, { ...body(), timeout: 10, is_private: false, headers: [], schema: [] });
  });

  test('reports all missing required fields', async () => {
    const { status, errors } = await owner.post('tools', {});
    assert.equal(status, 422);
    assert.deepEqual(Object.keys(errors), ['name', 'description', 'endpoint', 'method']);
  });
});

const fields: FieldRow[] = [
  ['name', ['a', 'look_up', 'x'.repeat(64)], ['', '_a', 'A', 'a1', 'a-b', 'x'.repeat(65), 'a\n', 5, null]],
  textOf('description', 255, true),
  ['endpoint', ['https://shop.example', 'http://localhost:1/x?y=1'], ['shop', 'file:///x', '', 5, null]],
  ['method', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], ['get', 'HEAD', '', null]],
  whole('timeout', 1, 30),
  flag('is_private'),
  ['is_private', ['true', 'false', null], []],
  [
    'headers',
    [[], null, header({}), header({ value: '' }), many(50, header({})[0])],
    [
      'x',
      header({ name: '' }),
      header({ name: 'X Key' }),
      header({ name: 'X:' }),
      header({ value: 'a\r\nB: c' }),
      header({ value: 5 }),
      header({ value: 'x'.repeat(4097) }),
      [{ name: 'X-Key' }],
      many(51, header({})[0]),
    ],
  ],
  [
    'schema',
    [
      [],
      null,
      parameter({}),
      parameter({ name: 'ab', type: 'number', description: 'abc' }),
      parameter({ name: 'A_'.repeat(16), type: 'boolean', description: 'x'.repeat(255) }),
      parameters(50),
    ],
    [
      'x',
      parameter({ name: 'a' }),
      parameter({ name: '_a' }),
      parameter({ name: 'a1' }),
      parameter({ name: 'x'.repeat(33) }),
      parameter({ type: 'bool' }),
      parameter({ description: 'ab' }),
      parameter({ description: 'x'.repeat(256) }),
      [{ name: 'order' }],
      parameters(51),
      [...parameter({}), ...parameter({ type: 'number' })],
    ],
  ],
];

describe('a field of a new tool', () => {
  testFields(fields, 201, (input) => owner.post('tools', body(input)));
});

describe('a field of an existing tool', async () => {
  const { id } = await owner.create('tools', body());
  testFields(fields, 200, (input) => owner.put(`tools/${id}`, input));
});

test('reads, partially updates and deletes a tool', async () => {
  const created = await owner.create('tools', body({ headers: header({}), schema: parameter({}) }));
  const read = await owner.get(`tools/${created.id}`);
  assert.equal(read.status, 200);
  assert.deepEqual(read.json, created);
  assert.ok(Tool.safeParse(read.json).success);

  const changed = await owner.put(`tools/${created.id}`, {
    timeout: 30,
    headers: [{ name: 'Authorization', value: 'Bearer x' }],
  });
  assert.equal(changed.status, 200);
  const { updated_at, ...rest } = changed.json['data'] as Record<string, unknown>;
  assert.ok(String(updated_at) > String(created['updated_at']));
  delete created['updated_at'];
  assert.deepEqual(rest, {
    ...created,
    timeout: 30,
    headers: [{ name: 'Authorization', value: 'Bearer x' }],
  });

  const cleared = await owner.put(`tools/${created.id}`, { schema: [], headers: null, timeout: null });
  const data = cleared.json['data'] as Record<string, unknown>;
  assert.deepEqual([data['schema'], data['headers'], data['timeout']], [[], [], 10]);
  assert.deepEqual(Object.keys((await owner.put(`tools/${created.id}`, { name: 'X', timeout: 0 })).errors), [
    'name',
    'timeout',
  ]);

  assert.deepEqual(Object.keys((await owner.delete(`tools/${created.id}`)).json), ['message']);
  for (const answer of [
    await owner.get(`tools/${created.id}`),
    await owner.put(`tools/${created.id}`, { name: 'X' }),
    await owner.delete(`tools/${created.id}`),
    await owner.get('tools/99999999999'),
    await owner.get('tools/x'),
  ]) {
    assert.deepEqual([answer.status, answer.json], [404, { message: 'Tool not found.' }]);
  }
});

test('lists tools as a bare array, oldest first', async () => {
  const reader = await Owner.create(service);
  const first = await reader.create('tools', body());
  const second = await reader.create('tools', body({ name: 'cancel' }));
  assert.deepEqual(JSON.parse((await reader.get('tools')).text), [first, second]);
});

test('removes a deleted tool from its assistants', async () => {
  const [kept, gone] = [await owner.create('tools', body()), await owner.create('tools', body())];
  const { id } = await owner.create('assistant', assistantBody({ tool_ids: [kept.id, gone.id] }));
  await owner.delete(`tools/${gone.id}`);
  const { json } = await owner.get('assistants/get');
  const found = (json['data'] as Record<string, unknown>[]).find((record) => record['id'] === id);
  assert.deepEqual(found?.['tool_ids'], [kept.id]);
});

test("refuses another user's tool for an assistant", async () => {
  const otherOwner = await Owner.create(service);
  const { id } = await otherOwner.create('tools', body());
  const { status, errors } = await owner.post('assistant', assistantBody({ tool_ids: [id] }));
  assert.deepEqual([status, errors], [422, { tool_ids: ['The selected tool ids is invalid.'] }]);
});
