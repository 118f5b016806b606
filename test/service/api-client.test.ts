import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError, ChatError, createApiClient } from '../../src/client/api-client.ts';
import type { ChatErrorCode } from '../../src/client/chat-error.ts';
import { operations } from '../../src/contract/operations.ts';
import { freePort } from '../support/process/free-port.ts';
import { Owner } from '../support/records/owner.ts';
import { createAssistant, startService } from '../support/service/service.ts';

const service = await startService();
const owner = await Owner.create(service, '1');
const client = createApiClient({ baseUrl: service.url, apiKey: owner.key });

const errorOf = async (work: Promise<unknown>): Promise<ChatError> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof ChatError) return error;
    throw error;
  }
  throw new Error('The request was not rejected.');
};
const codeOf = async (work: Promise<unknown>): Promise<ChatErrorCode> => (await errorOf(work)).code;

describe('createApiClient', () => {
  test('has a method for every operation', () => {
    assert.deepEqual(Object.keys(client), Object.keys(operations));
  });

  test('creates, lists, updates and deletes a record with typed results', async () => {
    const { data: tool } = await client.createTool({
      body: {
        name: 'find_order',
        description: 'Finds an order.',
        endpoint: 'https://shop.example/o',
        method: 'GET',
      },
    });
    assert.deepEqual(
      (await client.listTools()).map(({ id }) => id),
      [tool.id],
    );
    const { data } = await client.updateTool({ id: tool.id, body: { timeout: 5 } });
    assert.equal(data.timeout, 5);
    await client.deleteTool({ id: tool.id });
    assert.equal(await codeOf(client.readTool({ id: tool.id })), 'refused');
  });

  test('sends query parameters and omits undefined ones', async () => {
    const page = await client.listLeads({ query: { per_page: 7, phone_number: undefined } });
    assert.equal(page.per_page, 7);
  });

  test('sends files as a form', async () => {
    const { data: base } = await client.createKnowledgebase({ body: { name: 'Shop' } });
    const file = new File(['# Hours\n\nWe are open from nine to five.'], 'hours.txt', { type: 'text/plain' });
    const { data } = await client.createDocument({
      knowledgebaseId: base.id,
      body: { name: 'Hours', type: 'txt', file },
    });
    assert.equal(data.type, 'txt');
  });

  test('holds a conversation, and sends a message once per idempotency key', async () => {
    const { data } = await client.createAssistant({
      body: {
        name: 'Kim',
        voice_id: 1,
        language_id: 1,
        type: 'inbound',
        mode: 'pipeline',
        timezone: 'Europe/Berlin',
        initial_message: 'Hello!',
        system_prompt: 'Be kind.',
        llm_model_id: 1,
      },
    });
    const page = await client.listAssistants();
    const assistant_id = page.data.find(({ id }) => id === data.id)?.uuid ?? '';
    const { conversation_id: uuid } = await client.openConversation({ body: { assistant_id, type: 'test' } });
    const send = () => client.sendMessage({ uuid, body: { message: 'Hello' } }, { idempotencyKey: 'once' });
    assert.deepEqual(await send(), await send());
    const { history } = await client.resumeConversation({ uuid });
    assert.equal(history.filter(({ role }) => role === 'user').length, 1);
  });

  test('reports validation errors by field', async () => {
    const body = { name: 'No', description: '', endpoint: 'ftp://x', method: 'GET' as const };
    const error = await errorOf(client.createTool({ body }));
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.status], ['invalid-request', 422]);
    assert.deepEqual(Object.keys(error.fields).sort(), ['description', 'endpoint', 'name']);
    assert.equal(error.message, Object.values(error.fields)[0]?.[0]);
  });

  test('reports the error_code of generateReply and accepts the cursor of earlier messages', async () => {
    const otherClient = createApiClient({ baseUrl: service.url, apiKey: (await Owner.create(service)).key });
    const body = { assistant_id: 99_999, customer_identifier: 'Ada', message: 'Hello' };
    const error = await errorOf(otherClient.generateReply({ body }));
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.errorCode], [404, 'ASSISTANT_NOT_FOUND']);
    const { uuid: assistant_id } = await createAssistant(service, { initialMessage: 'Hello!' });
    const { conversation_id: uuid } = await client.openConversation({ body: { assistant_id, type: 'test' } });
    const query = { before: 'x' };
    assert.equal(await codeOf(client.resumeConversation({ uuid, query })), 'invalid-request');
    const { earlier_cursor: earlier } = await client.resumeConversation({ uuid });
    assert.equal(earlier, undefined);
  });

  test('distinguishes a wrong key, an unreachable service and an aborted request', async () => {
    const unauthorized = createApiClient({ baseUrl: service.url, apiKey: 'vac_wrong' });
    const refused = await errorOf(unauthorized.readUser());
    assert.deepEqual([refused.code, refused.status, refused.message], ['refused', 401, 'Unauthenticated.']);
    const unreachable = createApiClient({
      baseUrl: `http://127.0.0.1:${await freePort()}`,
      apiKey: owner.key,
    });
    assert.equal(await codeOf(unreachable.readUser()), 'network');
    assert.equal(await codeOf(client.readUser({}, { signal: AbortSignal.abort() })), 'aborted');
  });
});
