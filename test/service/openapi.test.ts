import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { listOperations } from '../../src/contract/operations.ts';
import { webhookEvents } from '../../src/contract/webhook.ts';
import type { OpenApiDocument } from '../../src/service/openapi/openapi-document.ts';
import type { JsonSchema } from '../../src/service/openapi/schemas.ts';
import { rawRequest } from '../support/service/raw-request.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const { json, headers } = await service.get('/api/openapi.json');
const document = json as unknown as OpenApiDocument;
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
  })),
);

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(json));
    assert.deepEqual(errors, undefined);
    assert.ok(valid);
    assert.equal(document.openapi, '3.1.0');
  });

  test('can be read by pages of any origin, and cached', async () => {
    assert.equal(headers.get('Access-Control-Allow-Origin'), '*');
    const etag = headers.get('ETag') ?? '';
    assert.equal((await service.get('/api/openapi.json', { 'If-None-Match': etag })).status, 304);
  });

  test('contains the targets of all its references', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    const missing = [...references]
      .map(([, name = '']) => name)
      .filter((name) => !(name in document.components.schemas));
    assert.deepEqual(missing, []);
  });

  test('has every operation of the contract once', () => {
    const names = listOperations().flatMap(([name, { aliases = [] }]) => [
      name,
      ...aliases.map(() => `${name}Alias`),
    ]);
    const found = described.map(({ operationId }) => operationId);
    // Audio and event streams are not operations of the client, whose responses are JSON.
    assert.deepEqual(found.sort(), [...names, 'playRecording', 'watchConversation'].sort());
  });

  test('describes the purpose, security and errors of every operation', () => {
    for (const { operationId, summary, security, path, responses } of described) {
      assert.match(summary, /^[A-Z].*\.$/, operationId);
      assert.equal(security.length > 0, /^\/api\/(user|automate|leads|ai)\//.test(path), operationId);
      const needed = security.length > 0 ? ['401', '429'] : ['429'];
      assert.ok(
        needed.every((status) => status in responses),
        operationId,
      );
    }
  });

  test('describes the webhooks that the service sends, with their signatures', () => {
    assert.deepEqual(Object.keys(document.webhooks), [...webhookEvents]);
    for (const { post } of Object.values(document.webhooks)) {
      const { $ref = '' } = post.requestBody.content['application/json']?.schema ?? {};
      assert.match(
        $ref,
        /^#\/components\/schemas\/(Call|InboundCall|Conversation|Handoff|Usage|WebhookDisabled)Webhook$/,
      );
      assert.ok(post.parameters.some(({ name }) => name === 'webhook-signature'));
    }
  });

  test('contains the limits that the service enforces', () => {
    const fields = document.components.schemas['CreateAssistantRequest']?.properties ?? {};
    assert.equal(fields['name']?.maxLength, 255);
    assert.deepEqual(fields['mode']?.enum, ['pipeline', 'multimodal', 'dualplex']);
    assert.deepEqual(fields['max_duration']?.anyOf?.[0], { type: 'integer', minimum: 20, maximum: 1200 });
    const [status] = document.paths['/api/user/leads']?.get?.parameters ?? [];
    assert.equal(status?.name, 'status');
    assert.equal(status.schema.enum?.includes('blacklisted'), true);
  });

  test('requires the fields without which the service refuses a request', () => {
    for (const [name, { path, method, request }] of listOperations()) {
      if (request === undefined) continue;
      const missing = request.safeParse({}).error?.issues.map(({ path: [field] }) => String(field)) ?? [];
      const operation = described.find((each) => each.operationId === name);
      const { $ref = '' } = operation?.requestBody?.content['application/json']?.schema ?? {};
      const { required = [] } = document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {};
      assert.deepEqual(required, missing, `${method} ${path}`);
    }
  });

  test('states the bounds of messages and variables, of visitors and of records', () => {
    const bounds = (name: string, field: string): JsonSchema => {
      const { anyOf, ...schema } = document.components.schemas[name]?.properties?.[field] ?? {};
      return anyOf?.find(({ type }) => type !== 'null') ?? schema;
    };
    for (const name of ['SendMessageRequest', 'WriteMessageRequest', 'GenerateReplyRequest']) {
      const { minLength, maxLength } = bounds(name, 'message');
      assert.deepEqual([name, minLength, maxLength], [name, 1, 2000]);
    }
    for (const name of [
      'OpenConversationRequest',
      'SendMessageRequest',
      'GenerateReplyRequest',
      'CreateAssistantRequest',
      'UpdateAssistantRequest',
      'CreateLeadRequest',
    ]) {
      const { maxProperties, propertyNames, description } = bounds(name, 'variables');
      assert.deepEqual([name, maxProperties, propertyNames], [name, 100, { type: 'string', maxLength: 64 }]);
      assert.match(description ?? '', /2000 characters/);
    }
    const { maxItems } = bounds('SendMessageRequest', 'client_tools');
    assert.equal(maxItems, 16);
  });

  test('describes the parameters of histories and replies, and both errors of a call', () => {
    const { parameters: [, before] = [] } = document.paths['/api/conversations/{uuid}']?.get ?? {};
    assert.deepEqual([before?.name, before?.in, before?.required], ['before', 'query', false]);
    const properties = (name: string) => Object.keys(document.components.schemas[name]?.properties ?? {});
    assert.ok(properties('ReadConversation').includes('earlier_cursor'));
    assert.ok(properties('MessageAnswer').includes('ended'));
    for (const path of ['/api/conversations', '/api/user/ai/generate-reply']) {
      const { parameters = [] } = document.paths[path]?.post ?? {};
      assert.deepEqual(
        parameters.map((parameter) => [parameter.name, parameter.in]),
        [['Idempotency-Key', 'header']],
      );
    }
    const refusal = JSON.stringify(document.paths['/api/user/make_call']?.post?.responses['422']);
    assert.match(refusal, /InvalidFields.*Refused/);
  });

  test('allows part of a phone number with a plus sign and separators in filters, as the service does', () => {
    for (const [path, field] of [
      ['/api/user/leads', 'phone_number'],
      ['/api/user/calls', 'phone_number'],
      ['/api/user/blocked-numbers', 'phone_number'],
      ['/api/user/conversations', 'customer_phone'],
    ] as const) {
      const { schema } = document.paths[path]?.get?.parameters.find(({ name }) => name === field) ?? {};
      const pattern = new RegExp(schema?.pattern ?? '$^');
      for (const value of ['151', '+49151', '+49 (151) 23-4']) assert.match(value, pattern, path);
      for (const value of ['', '+', 'abc', '1'.repeat(16)]) assert.doesNotMatch(value, pattern, path);
    }
  });

  test('describes the settings of the widget in records of assistants', () => {
    const { widget_settings: settings } = document.components.schemas['Assistant']?.properties ?? {};
    assert.deepEqual(Object.keys(settings?.properties ?? {}), ['theme', 'color', 'position']);
  });

  test('describes the responses when the carrier does not answer', () => {
    const bodyOf = (path: string, method: 'get' | 'post', status: string) =>
      /schemas\/(\w+)/.exec(JSON.stringify(document.paths[path]?.[method]?.responses[status] ?? {}))?.[1];
    assert.equal(bodyOf('/api/user/phone-numbers/search', 'get', '503'), 'RefusedWithError');
    assert.equal(bodyOf('/api/user/phone-numbers/purchase', 'post', '503'), 'PurchaseRefused');
    assert.equal(bodyOf('/api/recordings/{token}', 'get', '502'), 'Refused');
  });

  test('describes only operations that the service has', async () => {
    for (const { method, path, operationId } of described) {
      const sample = path
        .replace('{uuid}', crypto.randomUUID())
        .replace('{token}', 'x'.repeat(43))
        .replaceAll(/\{\w+\}/g, '2147483647');
      const answer = await service.request(method, sample, method === 'GET' ? undefined : {});
      assert.notEqual(answer.json['message'], 'Not found.', operationId);
    }
  });
});

describe('the documentation', () => {
  test('is the reference of the documentation, also at its former address', async () => {
    const { status, headers } = await rawRequest(service.url, { path: '/api/docs' });
    assert.deepEqual([status, headers['location']], [301, '../docs/http-reference']);
  });
});
