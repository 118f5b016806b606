import assert from 'node:assert/strict';
import { request } from 'node:http';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { atEnd, startService } from '../support/service.ts';

const folder = await mkdtemp(join(tmpdir(), 'widget-'));
atEnd(() => rm(folder, { recursive: true, force: true }));
const script = `export const text = ${JSON.stringify('ä'.repeat(2000))};\n`;
await mkdir(join(folder, 'chunks'));
await mkdir(join(folder, 'types'));
for (const file of [
  'voice-assistant-chat.js',
  'embed.js',
  'embed.js.map',
  'chunks/panel-Abc_1-x.js',
  'secret.js',
  'types/a.js',
  'package.json',
]) {
  await writeFile(join(folder, file), file.endsWith('.map') ? '{"version":3}' : script);
}
const service = await startService({ WIDGET_DIR: folder });

/** Asks without a client that unpacks or tidies up. */
async function raw(path: string, headers: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    headers: NodeJS.Dict<string | string[]>;
    body: Buffer;
  }>();
  request(service.url + path, { headers, path }, (response) => {
    buffer(response).then((body) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    }, reject);
  })
    .on('error', reject)
    .end();
  return promise;
}

test('the entries and chunks are served as scripts to pages of any origin', async () => {
  for (const path of ['/voice-assistant-chat.js', '/embed.js', '/chunks/panel-Abc_1-x.js']) {
    const { status, headers, body } = await raw(path);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-encoding'], undefined);
    assert.equal(body.toString(), script);
  }
  assert.equal((await raw('/embed.js.map')).headers['content-type'], 'application/json');
});

test('scripts are compressed as the client can take it', async () => {
  const brotli = await raw('/embed.js', { 'Accept-Encoding': 'gzip, deflate, br' });
  const gzip = await raw('/embed.js', { 'Accept-Encoding': 'gzip' });
  const none = await raw('/embed.js', { 'Accept-Encoding': 'br;q=0, gzip;q=0' });
  assert.deepEqual(
    [brotli, gzip, none].map(({ headers }) => headers['vary']),
    Array(3).fill('Accept-Encoding'),
  );
  assert.equal(brotli.headers['content-encoding'], 'br');
  assert.equal(gzip.headers['content-encoding'], 'gzip');
  assert.equal(none.headers['content-encoding'], undefined);
  assert.ok(brotli.body.length < 500 && gzip.body.length < 500);
  assert.equal(brotliDecompressSync(brotli.body).toString(), script);
  assert.equal(gunzipSync(gzip.body).toString(), script);
});

test('entries are asked for again each time and cost nothing if unchanged; chunks are kept for good', async () => {
  const headers = { 'Accept-Encoding': 'br' };
  const entry = await raw('/embed.js', headers);
  assert.equal(entry.headers['cache-control'], 'no-cache');
  const etag = String(entry.headers['etag']);
  assert.match(etag, /^"[\w-]+"$/);
  const again = await raw('/embed.js', { ...headers, 'If-None-Match': `"other", ${etag}` });
  assert.equal(again.status, 304);
  assert.equal(again.body.length, 0);
  assert.equal(again.headers['etag'], etag);
  assert.equal(again.headers['access-control-allow-origin'], '*');
  // Other bytes, another tag.
  assert.notEqual((await raw('/embed.js', { 'Accept-Encoding': 'gzip' })).headers['etag'], etag);

  await writeFile(join(folder, 'embed.js'), 'export {};\n');
  const changed = await raw('/embed.js', { ...headers, 'If-None-Match': etag });
  assert.equal(changed.status, 200);
  assert.equal(brotliDecompressSync(changed.body).toString(), 'export {};\n');
  await writeFile(join(folder, 'embed.js'), script);

  assert.equal(
    (await raw('/chunks/panel-Abc_1-x.js')).headers['cache-control'],
    'public, max-age=31536000, immutable',
  );
});

test('nothing else of the build, and nothing outside of it, is reachable', async () => {
  for (const path of [
    '/secret.js',
    '/package.json',
    '/types/a.js',
    '/chunks/',
    '/chunks/missing.js',
    '/chunks/../secret.js',
    '/chunks/..%2fsecret.js',
    '/chunks/%2e%2e/secret.js',
    '/chunks/..%5csecret.js',
    '//etc/passwd',
    '/embed.js/',
    '/embed.js%00',
  ]) {
    assert.equal((await raw(path)).status, 404, path);
  }
});

test('a widget that was not built is a clear answer, not a failure', async () => {
  const unbuilt = await startService({ WIDGET_DIR: join(folder, 'nowhere') });
  const { status, json } = await unbuilt.get('/embed.js');
  assert.equal(status, 404);
  assert.match(json['message'] as string, /npm run build/);
});
