import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { rawRequest } from '../support/service/raw-request.ts';
import { atEnd, startService } from '../support/service/service.ts';

const folder = await mkdtemp(join(tmpdir(), 'widget-'));
atEnd(() => rm(folder, { recursive: true, force: true }));
const inline = 'document.documentElement.classList.add(`dark`)';
const files = {
  'index.html': `<!doctype html><script src="/docs/assets/a.js"></script><script id="x">${inline}</script>Start`,
  'embed/react.html': '<!doctype html>React',
  '404.html': '<!doctype html>No such page',
  'assets/app.abc.js': 'export {};',
};
for (const [path, content] of Object.entries(files)) {
  await mkdir(dirname(join(folder, 'docs', path)), { recursive: true });
  await writeFile(join(folder, 'docs', path), content);
}
await writeFile(join(folder, 'secret.html'), 'secret');
const service = await startService({ WIDGET_DIR: folder });
const get = (path: string, headers = {}) => rawRequest(service.url, { path, headers });

describe('/docs', () => {
  it('serves pages without their extension', async () => {
    assert.match((await get('/docs/')).text, /Start/);
    const { status, headers, text } = await get('/docs/embed/react');
    assert.deepEqual([status, text], [200, files['embed/react.html']]);
    assert.match(String(headers['content-type']), /^text\/html/);
    const redirect = await get('/docs');
    assert.deepEqual([redirect.status, redirect.headers['location']], [302, '/docs/']);
  });

  it('allows the inline scripts of the build and no others', async () => {
    const hash = createHash('sha256').update(inline).digest('base64');
    for (const path of ['/docs/', '/docs/embed/react', '/docs/nothing']) {
      const policy = String((await get(path)).headers['content-security-policy']);
      assert.match(policy, /default-src 'none'/);
      assert.ok(policy.includes(`script-src 'self' 'sha256-${hash}'`), policy);
    }
  });

  it('lets browsers keep hashed files, and revalidates pages', async () => {
    assert.match(String((await get('/docs/assets/app.abc.js')).headers['cache-control']), /immutable/);
    assert.equal((await get('/docs/')).headers['cache-control'], 'no-cache');
  });

  it('serves the compressed files of the build', async () => {
    await writeFile(join(folder, 'docs/index.html.br'), brotliCompressSync('compressed at the build'));
    const { headers, text } = await get('/docs/', { 'Accept-Encoding': 'gzip, br' });
    assert.deepEqual([headers['content-encoding'], headers['vary']], ['br', 'Accept-Encoding']);
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.equal(text, 'compressed at the build');
    assert.match((await get('/docs/')).text, /Start/);
  });

  it('returns the 404 page for unknown pages', async () => {
    const { status, text } = await get('/docs/nothing');
    assert.deepEqual([status, text], [404, files['404.html']]);
  });

  it('serves no file outside of its folder', async () => {
    for (const path of ['/docs/../secret.html', '/docs/%2e%2e/secret.html', '/docs/..%2fsecret']) {
      assert.doesNotMatch((await get(path)).text, /^secret/);
    }
  });

  it('says how to build the documentation if it is missing, and looks again', async () => {
    const empty = await startService({ WIDGET_DIR: join(folder, 'docs/embed') });
    const { status, headers, body } = await rawRequest(empty.url, { path: '/docs/' });
    assert.equal(status, 404);
    assert.equal(headers['refresh'], '3');
    assert.match(body.toString(), /npm run build/);
  });
});
