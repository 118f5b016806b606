import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { Document } from './document.ts';

it('the example for Node.js signs a user token with the secret', async (t) => {
  const { text } = new Document('docs/recipes/signed-in-users.md');
  const code = /```js\n(\/\/ Node\.js: .*?)```/s.exec(text)?.[1] ?? '';
  const secret = 'uts_secret';
  const before = process.env['USER_TOKEN_SECRET'];
  t.after(() => {
    if (before === undefined) delete process.env['USER_TOKEN_SECRET'];
    else process.env['USER_TOKEN_SECRET'] = before;
  });
  process.env['USER_TOKEN_SECRET'] = secret;
  const source = code
    .replace("'jose'", JSON.stringify(import.meta.resolve('jose')))
    .replace('const token', 'export const token');
  const { token } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as { token: string };
  const [header = '', payload = '', signature] = token.split('.');
  assert.equal(createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url'), signature);
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  assert.deepEqual({ ...claims, exp: 0 }, { name: 'Ada', plan: 'pro', sub: 'user-7', exp: 0 });
});
