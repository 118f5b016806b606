import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assistantBody, readAssistant } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { addNumber } from '../support/records/add-records.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const owner = await Owner.create(service);
const { pool } = service.running.database;
const create = (more: Record<string, unknown> = {}) => owner.create('assistant', assistantBody(more));
const read = (id: number) => readAssistant(owner, id);

describe('updateAssistant', () => {
  const change = (id: number, body: unknown) => owner.put(`assistant/${id}`, body);

  test('changes only the given fields and responds like createAssistant', async () => {
    const { id } = await create({ max_duration: 100, variables: { a: 1 } });
    const before = await read(id);
    const { status, json } = await change(id, { name: 'Kai', status: 'active' });
    assert.equal(status, 200);
    assert.deepEqual(json['data'], {
      id,
      uuid: before['uuid'],
      name: 'Kai',
      status: 'active',
      type: 'outbound',
      mode: 'pipeline',
    });
    const { updated_at, ...after } = await read(id);
    assert.ok(String(updated_at) > String(before['updated_at']));
    delete before['updated_at'];
    assert.deepEqual(after, { ...before, name: 'Kai', status: 'active' });
  });

  test('resets optional fields with null and clears lists with an empty list', async () => {
    const { id } = await create({
      max_duration: 100,
      reengagement_prompt: 'Hello?',
      secondary_language_ids: [2],
      voice_stability: 1,
      min_interrupt_words: 3,
      knowledgebase_mode: 'prompt',
    });
    const cleared = {
      max_duration: null,
      reengagement_prompt: null,
      voice_stability: null,
      min_interrupt_words: null,
      knowledgebase_mode: null,
      secondary_language_ids: [],
    };
    assert.equal((await change(id, cleared)).status, 200);
    const record = await read(id);
    assert.deepEqual(
      Object.keys(cleared).map((field) => record[field]),
      [600, null, '0.70', 0, 'function_call', []],
    );
  });

  test("resets the mode's settings and requires its model and voice when the mode changes", async () => {
    const { id } = await create({ fillers: true, allow_interruptions: false, llm_model_id: 1 });
    const { errors } = await change(id, { mode: 'multimodal' });
    assert.deepEqual(Object.keys(errors).sort(), ['multimodal_model_id', 'voice_id']);
    const changed = await change(id, { mode: 'multimodal', multimodal_model_id: 2, voice_id: 3 });
    assert.equal(changed.status, 200);
    const record = await read(id);
    assert.deepEqual(
      ['llm_model_id', 'transcriber_provider_id', 'fillers', 'allow_interruptions'].map(
        (name) => record[name],
      ),
      [null, null, 0, true],
    );
  });

  test('applies the rules to existing fields as well', async () => {
    const { id } = await create();
    assert.deepEqual(Object.keys((await change(id, { turn_detection_threshold: 0.5 })).errors), [
      'turn_detection_threshold',
    ]);
    assert.deepEqual(Object.keys((await change(id, { is_webhook_active: true })).errors), ['webhook_url']);
    assert.deepEqual(Object.keys((await change(id, { name: null })).errors), ['name']);
  });

  test('rejects a shared number for an assistant that becomes inbound', async () => {
    const number = await addNumber(service, owner.id);
    await create({ type: 'inbound', phone_number_id: number });
    const { id } = await create({ phone_number_id: number });
    assert.deepEqual(Object.keys((await change(id, { type: 'inbound' })).errors), ['phone_number_id']);
    assert.equal((await change(id, { type: 'inbound', phone_number_id: null })).status, 200);
  });

  test('chooses providers for a changed language', async () => {
    const { id } = await create({ synthesizer_provider_id: 2 });
    await change(id, { language_id: 20 });
    assert.equal((await read(id))['synthesizer_provider_id'], 1);
  });

  test('merges widget settings and publishes them', async () => {
    const { id } = await create();
    assert.equal(
      (await change(id, { widget_settings: { theme: 'dark', position: 'bottom-left' } })).status,
      200,
    );
    const { uuid } = await read(id);
    const { json } = await service.get(`/api/assistants/${String(uuid)}/widget`);
    assert.deepEqual((json['data'] as Record<string, unknown>)['widget_settings'], {
      theme: 'dark',
      color: '#3B82F6',
      position: 'bottom-left',
    });
    for (const settings of [{ theme: 'pink' }, { position: 'middle' }, { color: 5 }, 'dark']) {
      assert.equal((await change(id, { widget_settings: settings })).status, 422);
    }
  });

  test('accepts the complete record with a number that is scheduled for release and with the mode hybrid', async () => {
    const phone_number_id = await addNumber(service, owner.id);
    const { id } = await create({ type: 'inbound', phone_number_id });
    assert.equal((await owner.delete(`phone-numbers/${phone_number_id}`)).status, 200);
    await pool.query("UPDATE assistants SET knowledgebase_mode = 'hybrid' WHERE id = $1", [id]);
    const record = await read(id);
    assert.deepEqual([record['phone_number_id'], record['knowledgebase_mode']], [phone_number_id, 'hybrid']);
    const { status, text } = await change(id, record);
    assert.equal(status, 200, text);
    const other = await create();
    const refused = await change(other.id, { phone_number_id, knowledgebase_mode: 'hybrid' });
    assert.deepEqual(refused.errors, {
      knowledgebase_mode: ['The selected knowledgebase mode is invalid.'],
      phone_number_id: [
        'The phone number id field must not be a phone number that is scheduled for release.',
      ],
    });
  });

  test('accepts the complete record', async () => {
    const { id } = await create({ knowledgebase_id: null });
    const record = await read(id);
    const { status, text } = await change(id, record);
    assert.equal(status, 200, text);
    const { updated_at, ...after } = await read(id);
    assert.ok(updated_at);
    delete record['updated_at'];
    assert.deepEqual(after, record);
  });
});

test('soft-deletes an assistant', async () => {
  const { id } = await create();
  const { uuid } = await read(id);
  const { status, json } = await owner.delete(`assistant/${id}`);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json), ['message']);
  for (const { status, json } of [
    await owner.delete(`assistant/${id}`),
    await owner.put(`assistant/${id}`, { name: 'Kai' }),
    await owner.put('assistant/99999999999', {}),
    await owner.put('assistant/x', {}),
  ]) {
    assert.deepEqual([status, json], [404, { message: 'Assistant not found.' }]);
  }
  assert.equal((await service.post('/api/conversations', { assistant_id: uuid })).status, 404);
  const { rows } = await pool.query('SELECT deleted_at IS NOT NULL AS kept FROM assistants WHERE id = $1', [
    id,
  ]);
  assert.deepEqual(rows, [{ kept: true }]);
});

describe('the webhooks of an assistant', () => {
  const url = 'https://shop.example/hook';
  const operations: [string, object, Record<string, unknown>][] = [
    ['enable-inbound-webhook', { webhook_url: url }, { inbound_webhook_url: url }],
    ['disable-inbound-webhook', {}, { inbound_webhook_url: null }],
    ['enable-conversation-ended-webhook', { webhook_url: url }, { conversation_ended_webhook_url: url }],
    ['disable-conversation-ended-webhook', {}, { conversation_ended_webhook_url: null }],
    ['disable-webhook', {}, { is_webhook_active: false, webhook_url: null }],
  ];
  test('are turned on and off', async () => {
    const { id: assistant_id } = await create({ is_webhook_active: true, webhook_url: url });
    for (const [operation, body, expected] of operations) {
      const { status, json } = await owner.post(`assistants/${operation}`, { assistant_id, ...body });
      assert.equal(status, 200);
      assert.deepEqual(json['data'], []);
      assert.equal(typeof json['message'], 'string');
      const record = await read(assistant_id);
      assert.deepEqual(
        Object.fromEntries(Object.keys(expected).map((name) => [name, record[name]])),
        expected,
      );
    }
  });

  test('require an assistant and, to be turned on, a URL', async () => {
    const { id: assistant_id } = await create();
    for (const [operation, body] of operations) {
      const missing = await owner.post(`assistants/${operation}`, {});
      const fields = ['assistant_id', ...Object.keys(body)];
      assert.deepEqual([missing.status, Object.keys(missing.errors)], [422, fields]);
      const unknown = await owner.post(`assistants/${operation}`, { assistant_id: 99_999, ...body });
      assert.equal(unknown.status, 404);
      if ('webhook_url' in body) {
        const give = (webhook_url: unknown) =>
          owner.post(`assistants/${operation}`, { assistant_id, webhook_url });
        for (const input of ['x', '', 'ftp://shop.example/', `${url}/`.padEnd(2049, 'x'), 5, null, [url]]) {
          const { status, errors } = await give(input);
          assert.deepEqual([status, Object.keys(errors)], [422, ['webhook_url']], String(input));
        }
        for (const input of ['http://shop.example', `${url}/`.padEnd(2048, 'x')]) {
          assert.equal((await give(input)).status, 200);
        }
      }
    }
  });
});
