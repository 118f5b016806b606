import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../../src/service/config.ts';
import { clientAddress } from '../../src/service/http/client-address.ts';
import { addressBlock, addressNetwork } from '../../src/service/http/client-address.ts';
import { serve } from '../../src/service/serve.ts';
import { atEnd, startService } from '../support/service/service.ts';
import { eventually } from '../support/eventually.ts';

const service = await startService({ RATE_LIMIT: '5', RATE_LIMIT_WINDOW_SECONDS: '60', TRUST_PROXY: '1' });
const path = `/api/conversations/${randomUUID()}`;
const from = (address: string) => ({ 'X-Forwarded-For': address });

test('limits the requests of an address over all endpoints, and returns when to retry', async () => {
  const visitor = from('192.0.2.1');
  for (const request of [path, path, `/api/assistants/${randomUUID()}/widget`, '/api/user/me', path]) {
    assert.notEqual((await service.get(request, visitor)).status, 429);
  }
  for (const request of [path, '/api/user/me']) {
    const { status, json, headers } = await service.get(request, visitor);
    assert.equal(status, 429);
    const seconds = json['retry_after'] as number;
    assert.deepEqual(json, { message: 'Too Many Attempts.', retry_after: seconds });
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
    assert.equal(headers.get('Retry-After'), String(seconds));
  }
  assert.equal((await service.get(path, from('192.0.2.2'))).status, 404);
});

test('lets pages of other origins read the error', async () => {
  const visitor = { ...from('192.0.2.3'), Origin: 'https://shop.example' };
  for (let request = 0; request < 5; request++) await service.get(path, visitor);
  const { status, headers } = await service.get(path, visitor);
  assert.equal(status, 429);
  assert.equal(headers.get('Access-Control-Allow-Origin'), '*');
  assert.match(headers.get('Access-Control-Expose-Headers') ?? '', /Retry-After/i);
});

test('allows requests again after the window', async () => {
  const visitor = from('192.0.2.4');
  const brief = await startService({ RATE_LIMIT: '1', RATE_LIMIT_WINDOW_SECONDS: '1', TRUST_PROXY: '1' });
  // At once, since the window may end before another request.
  const answers = await Promise.all([brief.get(path, visitor), brief.get(path, visitor)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [404, 429]);
  let status = 429;
  while (status === 429) ({ status } = await brief.get(path, visitor));
  assert.equal(status, 404);
});

test('counts concurrent requests exactly', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => service.get(path, from('192.0.2.5'))));
  assert.equal(answers.filter(({ status }) => status === 404).length, 5);
});

test('limits all blocks of an IPv6 /48 together, to four times the limit of one', async () => {
  const statuses: number[] = [];
  for (let request = 0; request < 21; request++) {
    const address = `[2001:db8:48:${request.toString(16)}::1]:4711`;
    statuses.push((await service.get(path, from(address))).status);
  }
  assert.deepEqual(statuses, [...Array<number>(20).fill(404), 429]);
  assert.equal((await service.get(path, from('2001:db8:49::1'))).status, 404);
});

test('counts in the database after a statement has failed', async () => {
  const { pool } = service.running.database;
  const visitor = from('192.0.2.10');
  await service.get(path, visitor);
  await assert.rejects(pool.query('SELECT 1/0'), { code: '22012' });
  await service.get(path, visitor);
  const { rows } = await pool.query("SELECT points FROM rate_limits WHERE key = 'api:192.0.2.10'");
  assert.deepEqual(rows, [{ points: 2 }]);
});

test('deletes expired counts, also of addresses that send no more requests, and without a limit', async () => {
  const { pool } = service.running.database;
  await startService({ RATE_LIMIT: '0', REPLY_LEASE_SECONDS: '3' });
  const hour = 3_600_000;
  for (const [address, age] of [
    ['192.0.2.11', 2 * hour],
    ['192.0.2.12', 0.5 * hour],
  ] as const)
    await pool.query('INSERT INTO rate_limits (key, points, expire) VALUES ($1, 1, $2)', [
      `api:${address}`,
      Date.now() - age,
    ]);
  const stored = async () =>
    (
      await pool.query<{ key: string }>(
        "SELECT key FROM rate_limits WHERE key IN ('api:192.0.2.11', 'api:192.0.2.12')",
      )
    ).rows;
  await eventually('the deletion', async () => (await stored()).length < 2);
  // Another process may have a slow clock.
  assert.deepEqual(await stored(), [{ key: 'api:192.0.2.12' }]);
});

test('does not limit the health check and the widget', async () => {
  const visitor = from('192.0.2.6');
  for (let request = 0; request < 8; request++) {
    assert.equal((await service.get('/healthz', visitor)).status, 200);
    assert.notEqual((await service.get('/embed.js', visitor)).status, 429);
  }
});

test('does not limit requests if the limit is 0', async () => {
  const open = await startService({ RATE_LIMIT: '0' });
  for (let request = 0; request < 20; request++) assert.equal((await open.get(path)).status, 404);
});

test('ignores X-Forwarded-For without a trusted proxy', async () => {
  const direct = await startService({ RATE_LIMIT: '2', TRUST_PROXY: '0' });
  await direct.get(path, from('192.0.2.7'));
  await direct.get(path, from('192.0.2.8'));
  assert.equal((await direct.get(path, from('192.0.2.9'))).status, 429);
});

test('uses the address that the outermost trusted proxy saw', () => {
  const cases: [forwarded: string | undefined, proxies: number, address: string][] = [
    ['203.0.113.5', 0, '10.0.0.1'],
    [undefined, 1, '10.0.0.1'],
    ['', 1, '10.0.0.1'],
    ['203.0.113.5', 1, '203.0.113.5'],
    ['6.6.6.6, 203.0.113.5', 1, '203.0.113.5'],
    ['6.6.6.6, 203.0.113.5, 10.0.0.2', 2, '203.0.113.5'],
    ['203.0.113.5', 2, '203.0.113.5'],
    ['nonsense', 1, '10.0.0.1'],
    [' 2001:db8::1 ', 1, '2001:db8::1'],
    ['203.0.113.7:4711', 1, '203.0.113.7'],
    ['[2001:db8::1]:443', 1, '2001:db8::1'],
    ['[2001:db8::1]', 1, '2001:db8::1'],
    ['[::ffff:203.0.113.7]:443, 10.0.0.2:80', 2, '::ffff:203.0.113.7'],
    ['203.0.113.7:port', 1, '10.0.0.1'],
    ['[2001:db8::1]:443:443', 1, '10.0.0.1'],
  ];
  for (const [forwarded, proxies, address] of cases) {
    assert.equal(clientAddress('10.0.0.1', forwarded, proxies), address, `${forwarded} ${proxies}`);
  }
});

test('counts an IPv6 network as one address, and mapped IPv4 as IPv4', () => {
  for (const [address, block] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['unknown', 'unknown'],
  ] as const) {
    assert.equal(addressBlock(address), block, address);
  }
});

test('has a network for IPv6 addresses only', () => {
  for (const [address, network] of [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80::/48'],
    ['::ffff:192.0.2.1', undefined],
    ['192.0.2.1', undefined],
    ['unknown', undefined],
  ] as const) {
    assert.equal(addressNetwork(address), network, address);
  }
});

test('warns in the log, once, and in /readyz of a proxy that is not trusted', async () => {
  const lines: string[] = [];
  const isOfProxies = (line: string) => line.includes('TRUST_PROXY');
  const log = pino({ level: 'warn' }, { write: (line) => isOfProxies(line) && lines.push(line) });
  const database = service.running.database;
  const readReadiness = async (url: string) => {
    const response = await fetch(`${url}/readyz`);
    return { status: response.status, body: (await response.json()) as { warnings: string[] } };
  };
  for (const [trusted, expected] of [
    ['0', [/X-Forwarded-For.*TRUST_PROXY/]],
    ['1', []],
  ] as const) {
    lines.length = 0;
    const config = readConfig({ PORT: '0', WORKERS: 'off', TRUST_PROXY: trusted });
    const running = await serve(config, { log, database });
    atEnd(() => running.close());
    const untouched = { status: 200, body: { status: 'ok', warnings: [] } };
    assert.deepEqual(await readReadiness(running.url), untouched);
    for (const address of ['192.0.2.1', '192.0.2.2'])
      await fetch(running.url + path, { headers: from(address) });
    const { status, body } = await readReadiness(running.url);
    const { warnings } = body;
    assert.equal(status, 200);
    assert.equal(warnings.length, expected.length);
    assert.equal(lines.length, expected.length);
    for (const [index, pattern] of expected.entries()) {
      assert.match(warnings[index] ?? '', pattern);
      assert.match(lines[index] ?? '', pattern);
    }
  }
});
