import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError, ChatError, createApiClient } from '../../src/client/api-client.ts';
import type { ApiClient } from '../../src/client/api-client.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import type { LoopbackServer } from '../support/servers/loopback-server.ts';
import { errorOf } from './chat-error.ts';
import { specifiedAnswers } from './specification-answers.ts';

let server: LoopbackServer;
let client: ApiClient;
/** The body of the next answer, with status 200. */
let answer = '';

before(async () => {
  server = await startLoopbackServer((_, response) => void response.end(answer));
  client = createApiClient({ baseUrl: server.url, apiKey: 'key' });
});
after(() => server.close());

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Yields copies of the value that lack one field each, at every depth, with the path of that field. */
function* withoutEachField(value: unknown, path = ''): Generator<[path: string, value: unknown]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const [inner, changed] of withoutEachField(item, `${path}[${index}]`)) {
        yield [inner, value.with(index, changed)];
      }
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const { [key]: field, ...rest } = value;
      yield [`${path}.${key}`, rest];
      for (const [inner, changed] of withoutEachField(field, `${path}.${key}`)) {
        yield [inner, { ...value, [key]: changed }];
      }
    }
  }
}

/** Adds an unknown field to every object of the value. */
const withUnknownFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, withUnknownFields(field)]);
  return { ...Object.fromEntries(fields), region: { name: 'eu', tags: [1] } };
};

describe('the API client reads every response of the specification', () => {
  for (const { name, answer: specified, call } of specifiedAnswers) {
    it(`unchanged: ${name}`, async () => {
      answer = JSON.stringify(specified);
      assert.deepEqual(await call(client), specified);
    });

    it(`with unknown fields: ${name}`, async () => {
      const extended = withUnknownFields(specified);
      answer = JSON.stringify(extended);
      assert.deepEqual(await call(client), extended);
    });

    it(`without any one of its fields: ${name}`, async () => {
      let count = 0;
      for (const [path, changed] of withoutEachField(specified)) {
        answer = JSON.stringify(changed);
        assert.deepEqual(await call(client), changed, path);
        count++;
      }
      assert.ok(count > 0);
    });
  }
});

describe('the API client', () => {
  it('reads a list that is wrapped in `data`', async () => {
    const tools = [{ id: 1, name: 'find_order' }];
    answer = JSON.stringify({ data: tools });
    assert.deepEqual(await client.listTools(), tools);
  });

  it('converts decimal strings to numbers', async () => {
    answer = JSON.stringify({ name: 'Ada', email: 'ada@example.com', total_balance: '12.50' });
    assert.equal((await client.readUser()).total_balance, 12.5);
    answer = JSON.stringify({ data: [{ id: '3', phone_number: '+4930123456' }] });
    const [number] = (await client.listPhoneNumbers()).data;
    assert.deepEqual([number?.id, number?.phone_number], [3, '+4930123456']);
  });

  it('keeps values of unexpected types', async () => {
    const unexpected = { name: null, email: ['ada@example.com'], total_balance: 'much' };
    answer = JSON.stringify(unexpected);
    assert.deepEqual(await client.readUser(), unexpected);
  });

  it('keeps the path of its base URL', async () => {
    answer = '[]';
    for (const path of ['/chat', '/chat/']) {
      await createApiClient({ baseUrl: server.url + path, apiKey: 'key' }).listTools();
      assert.equal(server.requests.at(-1)?.path, '/chat/api/user/tools');
    }
  });

  it('sends a BigInt as a string', async () => {
    answer = '{}';
    await client.createAssistant({ body: { name: 10n as never } as never });
    assert.equal(server.requests.at(-1)?.body, '{"name":"10"}');
  });

  it('rejects a request that cannot be sent as invalid', async () => {
    const before = server.requests.length;
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    for (const call of [
      createApiClient({ baseUrl: 'assistants.example' }).listTools(),
      createApiClient({ baseUrl: server.url, apiKey: 'key…' }).listTools(),
      client.deleteTool({ id: '\ud800' }),
      client.deleteTool({} as never),
      client.deleteTool({ id: '' }),
      client.deleteTool({ id: '.' }),
      client.deleteTool({ id: '..' }),
      client.createAssistant({ body: cyclic as never }),
    ]) {
      const { code, outcomeUnknown, cause } = await errorOf(call);
      assert.deepEqual([code, outcomeUnknown], ['invalid-request', false]);
      assert.ok(cause instanceof Error);
    }
    assert.equal(server.requests.length, before);
  });

  it('resolves with an empty object if a successful response has no body', async () => {
    answer = '';
    assert.deepEqual(await client.deleteTool({ id: 1 }), {});
  });

  it('reads [], as PHP encodes an empty object, as an empty object', async () => {
    answer = '[]';
    assert.deepEqual(await client.deleteTool({ id: 1 }), {});
    assert.deepEqual(await client.listTools(), []);
  });

  it('rejects with an ApiError if the body reports an error', async () => {
    for (const body of [
      { status: false, error: 'Insufficient balance.' },
      { success: false, message: 'Insufficient balance.' },
    ]) {
      answer = JSON.stringify(body);
      const error = await errorOf(
        client.makeCall({ body: { phone_number: '+4930123456', assistant_id: 1 } }),
      );
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.code, error.status, error.message], ['refused', 200, 'Insufficient balance.']);
    }
  });

  it('rejects with bad-response if the body is not the expected JSON', async () => {
    for (const body of ['<!doctype html><title>Welcome</title>', '{"data": [', 'null', '"OK"', '7']) {
      answer = body;
      for (const call of [client.listTools(), client.readUser()]) {
        const error = await errorOf(call);
        assert.ok(error instanceof ChatError && !(error instanceof ApiError));
        assert.deepEqual([error.code, error.status], ['bad-response', 200], body);
      }
    }
    answer = '{"message": "Hello"}';
    assert.equal((await errorOf(client.listTools())).code, 'bad-response');
    answer = '[7]';
    assert.equal((await errorOf(client.readUser())).code, 'bad-response');
  });

  it('reports validation errors by field', async (t) => {
    const refusing = await startLoopbackServer((_, response) => {
      response.statusCode = 422;
      response.setHeader('Retry-After', '7');
      return { message: 'Wrong.', errors: { name: ['is required'], email: 'is wrong', age: [1, 'is low'] } };
    });
    t.after(() => refusing.close());
    const error = await errorOf(createApiClient({ baseUrl: refusing.url }).readUser());
    assert.ok(error instanceof ApiError);
    assert.deepEqual(error.fields, { name: ['is required'], email: ['is wrong'], age: ['is low'] });
    assert.equal(error.retryAfter, 7);
  });
});
