import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { atEnd, startService } from '../support/service/service.ts';
import { FakeTwilio, twilioSettings } from '../support/twilio/fake-twilio.ts';

const service = await startService();
const owner = await Owner.create(service, '10');
const { id, uuid } = await owner.create('assistant', assistantBody());
const assistantUuid = String(uuid);
const authorization = { Authorization: `Bearer ${owner.key}` };

describe('a path with too many slashes', () => {
  for (const path of ['/api/user/me/', '//api/user/me', '/api/user/assistants/get//']) {
    test(`${path} is the same path without them`, async () => {
      assert.equal((await service.get(path, authorization)).status, 200);
    });
  }

  test('works for visitors', async () => {
    const opened = await service.request('POST', '/api/conversations/', { assistant_id: assistantUuid });
    assert.equal(opened.status, 200);
    const read = await service.get(`/api/conversations/${String(opened.json['conversation_id'])}/`);
    assert.equal(read.headers.get('Access-Control-Allow-Origin'), '*');
    assert.equal(read.json['status'], true);
  });

  test('needs a key where the path does', async () => {
    assert.equal((await service.get('//api/user/me/')).status, 401);
    assert.equal((await service.get('/api/user/me//')).status, 401);
  });

  test('leads to the documentation', async () => {
    const { status, headers } = await fetch(`${service.url}/api/docs/`, { redirect: 'manual' });
    assert.equal(status, 301);
    const { pathname } = new URL(headers.get('Location') ?? '', `${service.url}/api/docs/`);
    assert.equal(pathname, '/docs/http-reference');
  });

  test('is not found if the path does not exist', async () => {
    for (const path of ['/api/', '/api//', '/api//user/me', '/api/nothing/'])
      assert.equal((await service.get(path, authorization)).status, 404, path);
  });
});

describe('an empty string', () => {
  test('is null where null is accepted, but the string is not', async () => {
    const body = { webhook_url: '', phone_number_id: '', variables: '', end_call_message: '' };
    const { status, text } = await owner.put(`assistant/${id}`, body);
    assert.equal(status, 200, text);
  });

  test('is missing where a value is required', async () => {
    const { status, errors } = await owner.put(`assistant/${id}`, {
      is_webhook_active: true,
      webhook_url: '',
    });
    assert.equal(status, 422);
    assert.match(errors['webhook_url']?.[0] ?? '', /required/);
  });
});

test('an empty array is an empty object, also as one of the fields', async () => {
  const fields = { widget_settings: [], filler_config: [], variables: [] };
  const { status, text } = await owner.put(`assistant/${id}`, fields);
  assert.equal(status, 200, text);
});

test('an empty array as the body is an empty object, as PHP encodes it', async () => {
  assert.equal((await owner.put(`assistant/${id}`, [])).status, 200);
  assert.equal((await owner.put(`assistant/${id}`, [1])).status, 422);
});

describe('a number beyond all records', () => {
  test('is the id of a record that does not exist', async () => {
    const { status } = await owner.post('make_call', {
      phone_number: '+14155550100',
      assistant_id: 9_999_999_999,
    });
    assert.equal(status, 404);
    const { json } = await owner.get('calls?assistant_id=99999999999');
    assert.deepEqual(json['data'], []);
  });

  test('is an empty page', async () => {
    for (const page of ['99999999', '9000000000000000']) {
      const { status, json } = await owner.get(`leads?page=${page}`);
      assert.deepEqual([status, json['data'], json['current_page']], [200, [], Number(page)]);
    }
  });
});

test('null removes one of the widget settings', async () => {
  const theme = async (widget_settings: object) =>
    (await owner.put(`assistant/${id}`, { widget_settings })).json['data'];
  await theme({ theme: 'dark', position: 'left' });
  await theme({ theme: null, color: null });
  const { json } = await service.get(`/api/assistants/${assistantUuid}/widget`);
  assert.deepEqual((json['data'] as Record<string, unknown>)['widget_settings'], { position: 'left' });
});

// Java's HttpClient and `curl --http2` offer HTTP/2 with every request without TLS.
describe('an offer to upgrade the connection', async () => {
  const twilio = await FakeTwilio.start();
  atEnd(() => twilio.close());
  const withTwilio = await startService({ ...twilioSettings(twilio), CARRIER_COUNTRIES: 'DE' });
  const post = async (url: string, upgrade: string) => {
    const headers = { 'Content-Type': 'application/json', Connection: 'Upgrade', Upgrade: upgrade };
    const sent = request(`${url}/api/conversations`, { method: 'POST', headers });
    sent.end(JSON.stringify({ assistant_id: assistantUuid }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return [response.statusCode, (JSON.parse(await text(response)) as Record<string, unknown>)['status']];
  };

  test('is ignored if it is not for a WebSocket', async () => {
    assert.deepEqual(await post(service.url, 'h2c'), [200, true]);
    assert.deepEqual(await post(withTwilio.url, 'h2c'), [200, true]);
  });

  test('is ignored if the carrier has no WebSockets', async () => {
    assert.deepEqual(await post(service.url, 'websocket'), [200, true]);
  });
});
