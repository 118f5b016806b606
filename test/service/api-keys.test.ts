import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { listOperations, scopes } from '../../src/contract/operations.ts';
import type { Scope } from '../../src/contract/operations.ts';
import { KeyReplacedError, rotateApiKey } from '../../src/service/api-key/api-key.ts';
import { createApiKey } from '../support/service/create-api-key.ts';
import type { KeyRestrictions } from '../../src/service/api-key/api-key.ts';
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

  test('hide the values of tools’ headers from keys that may only read', async () => {
    const owner = await Owner.create(service, '1');
    const headers = [{ name: 'Authorization', value: 'Bearer of-the-shop' }];
    const tool = await owner.create('tools', {
      ...{ name: 'look_up', description: 'Looks it up.', endpoint: 'https://shop.example', method: 'GET' },
      headers,
    });
    const read = bearer(await createApiKey(db, owner.id, 'Reader', { scopes: ['read'] }));
    for (const path of ['tools', `tools/${tool.id}`]) {
      const shown = await service.get(`/api/user/${path}`, read);
      assert.equal(shown.status, 200);
      assert.match(shown.text, /"Authorization"/);
      assert.doesNotMatch(shown.text, /of-the-shop/);
      assert.match((await owner.get(path)).text, /of-the-shop/);
    }
  });

  test('hide user names and passwords in URLs from keys that may only read', async () => {
    const owner = await Owner.create(service, '1');
    const urlOf = (path: string) => `https://anna:hunter2@shop.example/${path}`;
    const urls = [
      ...['webhook_url', 'conversation_ended_webhook_url', 'usage_webhook_url', 'handoff_webhook_url'],
      'inbound_webhook_url',
    ];
    const webhooks = Object.fromEntries(urls.map((field) => [field, urlOf(field)]));
    const { id } = await owner.create('assistant', assistantBody(webhooks));
    await owner.post('assistants/enable-inbound-webhook', {
      assistant_id: id,
      webhook_url: urlOf('inbound_webhook_url'),
    });
    const tool = await owner.create('tools', {
      ...{ name: 'look_up', description: 'Looks it up.', endpoint: urlOf('tool'), method: 'GET' },
    });
    await pool.query(`INSERT INTO failing_webhook_urls (user_id, url, disabled_at) VALUES ($1, $2, now())`, [
      owner.id,
      urlOf('webhook_url'),
    ]);
    await pool.query(
      `INSERT INTO webhook_deliveries (webhook_id, user_id, event, url, payload) VALUES ($1, $2, 'call-ended', $3, '{}')`,
      [`msg_${randomUUID()}`, owner.id, urlOf('delivery')],
    );
    const read = bearer(await createApiKey(db, owner.id, 'Reader', { scopes: ['read'] }));
    const shown = new Set<string>();
    const lists = keyed.filter(({ scope, method }) => scope === 'read' && method === 'GET');
    for (const path of [...lists.map(({ path }) => path), `/api/user/tools/${tool.id}`]) {
      const { text } = await service.get(path, read);
      assert.doesNotMatch(text, /anna|hunter2/, path);
      const full = await service.get(path, bearer(owner.key));
      if (!full.text.includes('hunter2')) continue;
      assert.equal(text, full.text.replaceAll('anna:hunter2@', ''));
      shown.add(path);
    }
    assert.deepEqual([...shown].sort(), [
      '/api/user/assistants',
      '/api/user/assistants/get',
      '/api/user/assistants/outbound',
      '/api/user/tools',
      `/api/user/tools/${tool.id}`,
      '/api/user/webhook-deliveries',
    ]);
  });

  test('are all five for a key without restrictions', async () => {
    const key = await createApiKey(db, userId, 'All');
    const { json } = await service.get('/api/user/api-keys', bearer(key));
    const [listed] = json['api_keys'] as { scopes: string[]; expires_at: unknown }[];
    assert.deepEqual(listed?.scopes, [...scopes]);
    assert.equal(listed.expires_at, null);
  });

  test('cannot be extended by a key: no operation creates or changes keys', () => {
    const ofKeys = keyed.filter(({ path }) => path.includes('api-key'));
    assert.deepEqual(
      ofKeys.map(({ name, method }) => [name, method]),
      [['listApiKeys', 'GET']],
    );
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

  test('are shown in the OpenAPI document', async () => {
    const { json } = await service.get('/api/openapi.json');
    const paths = json['paths'] as Record<string, Record<string, { security: unknown; responses: object }>>;
    for (const { path, method, scope } of keyed) {
      const described = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      assert.deepEqual(described?.security, [{ key: [scope] }]);
      assert.ok('403' in described.responses);
    }
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
      message: 'The API key has expired. "keys rotate" on the command line replaces it.',
    });
    assert.equal(headers.get('WWW-Authenticate'), 'Bearer error="invalid_token"');
  });
});

describe('the addresses of a key', () => {
  test('are the only ones that may use it, in IPv4 and IPv6', async () => {
    const proxied = await startService({ TRUST_PROXY: '1' });
    const allowedAddresses = ['192.0.2.7', '198.51.100.0/24', '2001:db8::/32', '::ffff:203.0.113.0/120'];
    const key = await createApiKey(db, userId, 'Office', { allowedAddresses });
    const from = (address: string) =>
      proxied.get('/api/user/me', { ...bearer(key), 'X-Forwarded-For': address });
    const allowed = [
      '192.0.2.7',
      '198.51.100.255',
      '::ffff:198.51.100.1',
      '2001:db8:ffff::1',
      '[2001:DB8::1]:443',
      '203.0.113.9',
    ];
    for (const address of allowed) assert.equal((await from(address)).status, 200, address);
    for (const address of ['192.0.2.8', '198.51.101.0', '2001:db9::1', '203.0.114.9', '::1']) {
      const { status, json } = await from(address);
      assert.equal(status, 401, address);
      assert.equal(
        json['message'],
        `The API key does not allow the address ${address}. "keys list" on the command line shows which it allows.`,
      );
    }
    const { json } = await proxied.get('/api/user/api-keys', {
      ...bearer(key),
      'X-Forwarded-For': '192.0.2.7',
    });
    const [listed] = json['api_keys'] as { allowed_addresses: string[] }[];
    assert.deepEqual(listed?.allowed_addresses, allowedAddresses);
  });
});

describe('the rotation of a key', () => {
  const read = async (id: number) => {
    const { rows } = await pool.query<{ hours: number | null; days: number | null; rights: unknown }>(
      `SELECT extract(epoch FROM expires_at - now())::float / 3600 AS hours,
         extract(epoch FROM expires_at - created_at)::float / 86400 AS days,
         jsonb_build_array(user_id, name, scopes, allowed_addresses) AS rights
       FROM api_keys WHERE id = $1`,
      [id],
    );
    return rows[0];
  };
  const create = async (restrictions: KeyRestrictions) => {
    const key = await createApiKey(db, userId, randomUUID(), restrictions);
    const { rows } = await pool.query<{ id: number }>('SELECT max(id) AS id FROM api_keys');
    return { key, id: rows[0]?.id ?? 0 };
  };

  test('keeps the restrictions, and both keys valid for the overlap', async () => {
    const old = await create({ scopes: ['read'], expiresInDays: 90, allowedAddresses: ['127.0.0.0/8'] });
    await pool.query("UPDATE api_keys SET created_at = created_at - interval '80 days' WHERE id = $1", [
      old.id,
    ]);
    await pool.query("UPDATE api_keys SET expires_at = created_at + interval '90 days' WHERE id = $1", [
      old.id,
    ]);
    const rotated = await rotateApiKey(service.running.database, old.id, { overlapHours: 2 });
    assert.ok(rotated);
    for (const key of [old.key, rotated.key]) assert.equal((await me(key)).status, 200);
    const [before, after] = [await read(old.id), await read(rotated.id)];
    assert.deepEqual(after?.rights, before?.rights);
    assert.ok(Math.abs((before?.hours ?? 0) - 2) < 0.1);
    assert.ok(Math.abs((after?.days ?? 0) - 90) < 0.01);
    await pool.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [old.id]);
    assert.equal((await me(old.key)).status, 401);
    assert.equal((await me(rotated.key)).status, 200);
  });

  test('does not extend the previous key, and ends it at once without an overlap', async () => {
    const brief = await create({ expiresInDays: 1 });
    const change = { overlapHours: 48, expiresInDays: 3 };
    const rotated = await rotateApiKey(service.running.database, brief.id, change);
    assert.ok(((await read(brief.id))?.hours ?? Infinity) <= 24);
    assert.ok(Math.abs(((await read(rotated?.id ?? 0))?.days ?? 0) - 3) < 0.01);
    const leaked = await create({});
    const replacement = await rotateApiKey(service.running.database, leaked.id, { overlapHours: 0 });
    assert.equal((await me(leaked.key)).status, 401);
    assert.equal((await me(replacement?.key ?? '')).status, 200);
    assert.equal((await read(replacement?.id ?? 0))?.hours, null);
  });

  test('keeps the lifetime also after the key that replaced it was revoked', async () => {
    const { id } = await create({});
    const first = await rotateApiKey(service.running.database, id, { overlapHours: 24 });
    await pool.query('DELETE FROM api_keys WHERE id = $1', [first?.id]);
    const second = await rotateApiKey(service.running.database, id, { overlapHours: 24 });
    assert.equal((await read(second?.id ?? 0))?.hours, null);
  });

  test('happens once, also if two people do it at the same time', async () => {
    const { id } = await create({});
    const rotate = () => rotateApiKey(service.running.database, id, { overlapHours: 1 });
    const outcomes = await Promise.allSettled([rotate(), rotate()]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await assert.rejects(rotate(), KeyReplacedError);
    assert.equal(await rotateApiKey(service.running.database, 999_999, { overlapHours: 1 }), undefined);
  });
});

describe('failed attempts', () => {
  const limited = { RATE_LIMIT: '1000', TRUST_PROXY: '1' };

  test('are limited by address in every process, while valid keys keep working', async () => {
    const [one, two] = [await startService(limited), await startService(limited)];
    const attempt = (at: typeof one, address: string, key: string) =>
      at.get('/api/user/me', { ...bearer(key), 'X-Forwarded-For': address });
    const address = '192.0.2.201';
    const wrong = `vac_${'x'.repeat(43)}`;
    const statuses = [];
    for (let count = 0; count < 20; count++)
      statuses.push((await attempt(count % 2 === 0 ? one : two, address, wrong)).status);
    assert.deepEqual(statuses, Array<number>(20).fill(401));
    const key = await createApiKey(db, userId, 'Valid');
    for (const at of [one, two]) {
      const { status, json, headers } = await attempt(at, address, wrong);
      assert.equal(status, 429);
      const seconds = Number(headers.get('Retry-After'));
      assert.ok(seconds >= 1 && seconds <= 300);
      assert.deepEqual(json, { message: 'Too Many Attempts.', retry_after: seconds });
      assert.equal((await attempt(at, address, key)).status, 200);
      assert.equal((await attempt(at, '192.0.2.202', wrong)).status, 401);
    }
  });

  test('are limited for all blocks of an IPv6 /48 together', async () => {
    const proxied = await startService(limited);
    let refused = 0;
    for (let block = 0; block < 82; block++) {
      const address = `2001:db8:a:${block.toString(16)}::1`;
      const { status } = await proxied.get('/api/user/me', {
        ...bearer('wrong'),
        'X-Forwarded-For': address,
      });
      refused += status === 429 ? 1 : 0;
    }
    assert.equal(refused, 2);
  });

  test('do not include requests without a key', async () => {
    const proxied = await startService(limited);
    for (let count = 0; count < 25; count++) {
      const { status } = await proxied.get('/api/user/me', { 'X-Forwarded-For': '192.0.2.203' });
      assert.equal(status, 401);
    }
  });

  test('are logged with address and reason, at most as often as they are allowed, and without the key', async () => {
    const lines: string[] = [];
    const isRefusal = (line: string) => line.includes('an API key was refused');
    const log = pino({ level: 'warn' }, { write: (line) => isRefusal(line) && lines.push(line) });
    const config = readConfig({ PORT: '0', WORKERS: 'off', RATE_LIMIT: '1000', TRUST_PROXY: '1' });
    const running = await serve(config, { log, database: service.running.database });
    atEnd(() => running.close());
    const keys = {
      unknown: `vac_${'y'.repeat(43)}`,
      expired: await createApiKey(db, userId, 'Logged', { expiresInDays: 1 }),
      'foreign-address': await createApiKey(db, userId, 'Far', { allowedAddresses: ['192.0.2.1'] }),
    };
    await pool.query("UPDATE api_keys SET expires_at = now() WHERE name = 'Logged'");
    const attempt = (key: string) =>
      fetch(`${running.url}/api/user/me`, {
        headers: { ...bearer(key), 'X-Forwarded-For': '192.0.2.204' },
      });
    for (const key of Object.values(keys)) await attempt(key);
    const found = lines.map(
      (line) => JSON.parse(line) as { address: string; reason: string; keyId?: number },
    );
    assert.deepEqual(
      found.map(({ reason, address, keyId }) => [reason, address, typeof keyId]),
      [
        ['unknown', '192.0.2.204', 'undefined'],
        ['expired', '192.0.2.204', 'number'],
        ['foreign-address', '192.0.2.204', 'number'],
      ],
    );
    for (const key of Object.values(keys)) assert.ok(!lines.join().includes(key.slice(4)));
    for (let count = 0; count < 30; count++) await attempt(keys.unknown);
    assert.equal(lines.length, 20);
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
