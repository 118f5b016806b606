import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { listOperations, scopes } from '../../src/contract/operations.ts';
import type { Scope } from '../../src/contract/operations.ts';
import { createApiKey } from '../../src/service/api-key/api-key.ts';
import { readConfig } from '../../src/service/config.ts';
import { createLog } from '../../src/service/log.ts';
import { serve } from '../../src/service/serve.ts';
import { atEnd, createUser, startService } from '../support/service/service.ts';

const service = await startService();
const { db, pool } = service.running.database;
const userId = await createUser(service.running, '1');
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const me = (key: string) => service.get('/api/user/me', bearer(key));

const keyed = listOperations().flatMap(([name, { method, path, aliases = [], auth, scope }]) =>
  auth === 'bearer' ? [path, ...aliases].map((each) => ({ name, method, path: each, scope })) : [],
);

describe('the scopes of a key', () => {
  const only = new Map<Scope | undefined, string>();
  const without = new Map<Scope | undefined, string>();
  const create = (granted: Scope[]) => createApiKey(db, userId, granted.join(), { scopes: granted });

  test('are required by every operation that needs a key', async () => {
    for (const scope of scopes) {
      only.set(scope, await create([scope]));
      without.set(scope, await create(scopes.filter((other) => other !== scope)));
    }
    for (const { name, method, path, scope } of keyed) {
      const url = path.replace(':uuid', randomUUID()).replace(/:\w+/g, '999999');
      const send = (key = '') => service.request(method, url, method === 'GET' ? undefined : {}, bearer(key));
      const refused = await send(without.get(scope));
      assert.equal(refused.status, 403, name);
      const text = `The API key does not have the scope "${scope}". "keys create --scope ${scope}" on the command line creates one that does.`;
      assert.equal(refused.json['message'], text);
      assert.equal(
        refused.headers.get('WWW-Authenticate'),
        `Bearer error="insufficient_scope", scope="${scope}"`,
      );
      const { status } = await send(only.get(scope));
      assert.ok(![401, 403].includes(status), `${name} ${status}`);
    }
  });

  test('separate reading, changing, calling, paying, and writing to customers', () => {
    const byScope = (wanted: Scope) =>
      listOperations()
        .filter(([, { scope }]) => scope === wanted)
        .map(([name]) => name);
    assert.deepEqual(byScope('calls').sort(), [
      'createLead',
      'makeCall',
      'updateCampaignStatus',
      'updateLead',
    ]);
    assert.deepEqual(byScope('money').sort(), [
      'purchasePhoneNumber',
      'releasePhoneNumber',
      'setSpendingLimit',
    ]);
    assert.deepEqual(byScope('inbox').sort(), ['disableAi', 'enableAi', 'generateReply', 'writeAsPerson']);
    const methods = (wanted: Scope) => [
      ...new Set(keyed.filter(({ scope }) => scope === wanted).map(({ method }) => method)),
    ];
    assert.deepEqual(methods('read'), ['GET']);
    // Anyone with the signing secret can forge webhooks.
    const changed = keyed.filter(({ scope, method }) => scope === 'write' && method === 'GET');
    assert.deepEqual(
      changed.map(({ name }) => name),
      ['readWebhookSecret'],
    );
  });

  test('are all five for a key without restrictions', async () => {
    const key = await createApiKey(db, userId, 'All');
    const { json } = await service.get('/api/user/api-keys', bearer(key));
    const [listed] = json['api_keys'] as { scopes: string[]; expires_at: unknown }[];
    assert.deepEqual(listed?.scopes, [...scopes]);
    assert.equal(listed.expires_at, null);
  });

  test('protect routes that the contract does not describe', async () => {
    const key = await createApiKey(db, userId, 'All');
    const running = await serve(readConfig({ PORT: '0', WORKERS: 'off', LOG_LEVEL: 'silent' }), {
      log: createLog('silent'),
      database: service.running.database,
      mount: (app) => app.get('/api/user/forgotten', (c) => c.text('secret')),
    });
    atEnd(() => running.close());
    const response = await fetch(`${running.url}/api/user/forgotten`, { headers: bearer(key) });
    assert.equal(response.status, 404);
    assert.doesNotMatch(await response.text(), /secret/);
  });

  test('are shown in the OpenAPI document and its page', async () => {
    const { json } = await service.get('/api/openapi.json');
    const paths = json['paths'] as Record<string, Record<string, { security: unknown; responses: object }>>;
    for (const { path, method, scope } of keyed) {
      const described = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      assert.deepEqual(described?.security, [{ key: [scope] }]);
      assert.ok('403' in described.responses);
    }
    const page = await fetch(`${service.url}/api/docs`);
    assert.match(await page.text(), /Needs a key with the scope <code>calls<\/code>/);
  });
});

describe('the expiry of a key', () => {
  test('ends its validity at the time of the database, and is listed', async () => {
    const key = await createApiKey(db, userId, 'Brief', { expiresInDays: 1 });
    assert.equal((await me(key)).status, 200);
    const { rows } = await pool.query<{ seconds: number }>(
      "SELECT extract(epoch FROM expires_at - now())::int AS seconds FROM api_keys WHERE name = 'Brief'",
    );
    assert.ok(Math.abs((rows[0]?.seconds ?? 0) - 86_400) < 600);
    const { json } = await service.get('/api/user/api-keys', bearer(key));
    const [listed] = json['api_keys'] as { expires_at: string }[];
    assert.match(listed?.expires_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

    await pool.query("UPDATE api_keys SET expires_at = now() WHERE name = 'Brief'");
    const { status, json: refusal, headers } = await me(key);
    assert.equal(status, 401);
    assert.deepEqual(refusal, {
      message: 'The API key has expired. "keys create" on the command line creates another one.',
    });
    assert.equal(headers.get('WWW-Authenticate'), 'Bearer error="invalid_token"');
  });
});

describe('the last use of a key', () => {
  test('is written once a minute', async () => {
    const key = await createApiKey(db, userId, 'Used');
    const read = async () => {
      const { rows } = await pool.query<{ version: string; age: number }>(
        `SELECT xmin::text AS version, extract(epoch FROM now() - last_used_at)::float AS age
         FROM api_keys WHERE name = 'Used'`,
      );
      return rows[0];
    };
    await me(key);
    const first = await read();
    assert.ok(first && first.age < 60);
    for (let request = 0; request < 5; request++) await me(key);
    assert.equal((await read())?.version, first.version);
    await pool.query(
      "UPDATE api_keys SET last_used_at = last_used_at - interval '61 seconds' WHERE name = 'Used'",
    );
    await me(key);
    assert.ok(((await read())?.age ?? Infinity) < 60);
  });
});
