import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { rawRequest } from '../support/service/raw-request.ts';
import { atEnd, newDatabase, startService } from '../support/service/service.ts';

const folder = await mkdtemp(join(tmpdir(), 'widget-'));
atEnd(() => rm(folder, { recursive: true, force: true }));
const script = `export const text = ${JSON.stringify('ä'.repeat(2000))};\n`;

/** Writes a file as the build does: a script also in its compressed forms. */
async function build(path: string, content: string): Promise<void> {
  await writeFile(join(folder, path), content);
  if (!path.endsWith('.js')) return;
  await writeFile(join(folder, `${path}.br`), brotliCompressSync(content));
  await writeFile(join(folder, `${path}.gz`), gzipSync(content));
}

await mkdir(join(folder, 'chunks'));
await mkdir(join(folder, 'types'));
for (const path of [
  'voice-assistant-chat.js',
  'embed.js',
  'chunks/panel-Abc_1-x.js',
  'secret.js',
  'types/a.js',
])
  await build(path, script);
await build('embed.js.map', '{"version":3}');
await build('package.json', '{}');
await build('integrity.json', '{"version":"1.2.3","files":{}}');
const database = await newDatabase();
const earlier = join(database['DATA_DIR'] ?? '', 'widget/1.0.0');
await mkdir(earlier, { recursive: true });
await writeFile(join(earlier, 'embed.js'), 'older;');
await writeFile(join(earlier, 'secret.js'), 'secret;');
// A copy that was interrupted.
const partial = join(database['DATA_DIR'] ?? '', 'widget/.new-abcdef/chunks');
await mkdir(partial, { recursive: true });
await writeFile(join(partial, 'partial.js'), 'hal');
const service = await startService({ ...database, WIDGET_DIR: folder });

const get = (path: string, headers: Record<string, string> = {}) =>
  rawRequest(service.url, { path, headers });

test('serves entry files and chunks to pages of any origin', async () => {
  for (const path of ['/voice-assistant-chat.js', '/embed.js', '/chunks/panel-Abc_1-x.js']) {
    const { status, headers, body } = await get(path);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-encoding'], undefined);
    assert.equal(body.toString(), script);
  }
  assert.equal((await get('/embed.js.map')).headers['content-type'], 'application/json');
});

test('serves scripts in an encoding that the client accepts', async () => {
  const brotli = await get('/embed.js', { 'Accept-Encoding': 'gzip, deflate, br' });
  const gzip = await get('/embed.js', { 'Accept-Encoding': 'gzip' });
  const none = await get('/embed.js', { 'Accept-Encoding': 'br;q=0, gzip;q=0' });
  assert.deepEqual(
    [brotli, gzip, none].map(({ headers }) => [headers['content-encoding'], headers['vary']]),
    [
      ['br', 'Accept-Encoding'],
      ['gzip', 'Accept-Encoding'],
      [undefined, 'Accept-Encoding'],
    ],
  );
  assert.ok(brotli.body.length < 500 && gzip.body.length < 500);
  assert.ok([brotli, gzip, none].every(({ text }) => text === script));
});

test('lets browsers revalidate entry files and cache chunks forever', async () => {
  const headers = { 'Accept-Encoding': 'br' };
  const entry = await get('/embed.js', headers);
  assert.equal(entry.headers['cache-control'], 'no-cache');
  const etag = String(entry.headers['etag']);
  assert.match(etag, /^"[\w-]+"$/);
  const again = await get('/embed.js', { ...headers, 'If-None-Match': `"other", ${etag}` });
  assert.equal(again.status, 304);
  assert.equal(again.body.length, 0);
  assert.equal(again.headers['etag'], etag);
  assert.equal(again.headers['access-control-allow-origin'], '*');
  assert.equal(again.headers['cross-origin-resource-policy'], 'cross-origin');
  // Other content has another ETag.
  assert.notEqual((await get('/embed.js', { 'Accept-Encoding': 'gzip' })).headers['etag'], etag);

  await build('embed.js', 'export {};\n');
  const changed = await get('/embed.js', { ...headers, 'If-None-Match': etag });
  await build('embed.js', script);
  assert.equal(changed.status, 200);
  assert.equal(changed.text, 'export {};\n');

  const chunk = await get('/chunks/panel-Abc_1-x.js');
  assert.equal(chunk.headers['cache-control'], 'public, max-age=31536000, immutable');
});

test('serves the files of its version, and of stored versions, for good', async () => {
  for (const [path, content] of [
    ['/v/1.2.3/embed.js', script],
    ['/v/1.2.3/voice-assistant-chat.js', script],
    ['/v/1.2.3/chunks/panel-Abc_1-x.js', script],
    ['/v/1.2.3/integrity.json', '{"version":"1.2.3","files":{}}'],
    ['/v/1.0.0/embed.js', 'older;'],
  ] as const) {
    const { status, headers, text } = await get(path, { 'Accept-Encoding': 'br' });
    assert.deepEqual([status, text], [200, content], path);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['access-control-allow-origin'], '*');
  }
  assert.equal((await get('/integrity.json')).headers['cache-control'], 'no-cache');
});

test('serves no other files', async () => {
  for (const path of [
    '/secret.js',
    '/package.json',
    '/types/a.js',
    '/embed.js.br',
    '/chunks/',
    '/chunks/missing.js',
    '/chunks/partial.js',
    '/chunks/../secret.js',
    '/chunks/..%2fsecret.js',
    '/chunks/%2e%2e/secret.js',
    '/chunks/..%5csecret.js',
    '//etc/passwd',
    '/embed.js/',
    '/v/1.2.3/secret.js',
    '/v/1.2.3/package.json',
    '/v/1.0.0/secret.js',
    '/v/9.9.9/embed.js',
    '/v/../embed.js.br',
    '/v/1.2.3..%2f..%2fsecret.js',
    '/embed.js%00',
  ]) {
    assert.equal((await get(path)).status, 404, path);
  }
});

test('returns 404 with the reason if the widget has not been built', async () => {
  const unbuilt = await startService({ WIDGET_DIR: join(folder, 'nowhere') });
  const { status, json } = await unbuilt.get('/embed.js');
  assert.equal(status, 404);
  assert.match(json['message'] as string, /npm run build/);
});
