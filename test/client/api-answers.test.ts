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

/** The answer once without each of its fields, at every depth, with the path of that field. */
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

/** The answer with a field of another service in every object. */
const withUnknownFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, withUnknownFields(field)]);
  return { ...Object.fromEntries(fields), region: { name: 'eu', tags: [1] } };
};

describe('the API client reads every answer of the specification', () => {
  for (const { name, answer: specified, call } of specifiedAnswers) {
    it(`as it is: ${name}`, async () => {
      answer = JSON.stringify(specified);
      assert.deepEqual(await call(client), specified);
    });

    it(`with unknown fields: ${name}`, async () => {
      const extended = withUnknownFields(specified);
      answer = JSON.stringify(extended);
      assert.deepEqual(await call(client), extended);
    });

    it(`with any field left out: ${name}`, async () => {
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
  it('reads a bare list also where it is the `data` of an object', async () => {
    const tools = [{ id: 1, name: 'find_order' }];
    answer = JSON.stringify({ data: tools });
    assert.deepEqual(await client.listTools(), tools);
  });

  it('reads numbers that come as decimal strings', async () => {
    answer = JSON.stringify({ name: 'Ada', email: 'ada@example.com', total_balance: '12.50' });
    assert.equal((await client.readUser()).total_balance, 12.5);
    answer = JSON.stringify({ data: [{ id: '3', phone_number: '+4930123456' }] });
    const [number] = (await client.listPhoneNumbers()).data;
    assert.deepEqual([number?.id, number?.phone_number], [3, '+4930123456']);
  });

  it('leaves values of other types as they are', async () => {
    const odd = { name: null, email: ['ada@example.com'], total_balance: 'much' };
    answer = JSON.stringify(odd);
    assert.deepEqual(await client.readUser(), odd);
  });

  it('resolves to an empty object where a success has no body', async () => {
    answer = '';
    assert.deepEqual(await client.deleteTool({ id: 1 }), {});
  });

  it('rejects with an ApiError where the body says that it is a refusal', async () => {
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

  it('rejects with a bad response where the body is neither an object nor a list', async () => {
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
    answer = '[]';
    assert.equal((await errorOf(client.readUser())).code, 'bad-response');
  });

  it('names the refused fields only as far as the service lists them', async (t) => {
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
