import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CreateAssistantRequest } from '../../src/contract/assistant.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { assistantCallTable } from '../support/records/assistant-call-table.ts';
import { assistantTable } from '../support/records/assistant-table.ts';
import { testFields } from '../support/records/field-table.ts';
import { Owner } from '../support/records/owner.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const owner = await Owner.create(service);

test('tests every field of createAssistant', () => {
  const tested = new Set([...assistantTable, ...assistantCallTable].map(([field]) => field));
  assert.deepEqual([...tested].sort(), Object.keys(CreateAssistantRequest.shape).sort());
});

describe('a field of createAssistant', () => {
  testFields(assistantTable, 201, (fields) => owner.post('assistant', assistantBody(fields)));

  test('reports a missing model of the mode', async () => {
    const { errors } = await owner.post('assistant', assistantBody({ mode: 'dualplex' }));
    assert.deepEqual(Object.keys(errors), ['multimodal_model_id']);
  });

  test('reports a missing webhook_url', async () => {
    const { errors } = await owner.post('assistant', assistantBody({ is_webhook_active: true }));
    assert.deepEqual(Object.keys(errors), ['webhook_url']);
  });
});
