import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Hono } from 'hono';
import { faultKinds } from '../../demo/faults.ts';
import { mountDemo } from '../../demo/routes.ts';
import { galleryGroups } from '../../demo/site/scripts/gallery-cards.js';
import { snippetOf } from '../../demo/site/scripts/snippets.js';
import { demoAssistants } from '../../src/service/seed/demo-assistants.ts';

const app = new Hono();
mountDemo(app, new AbortController().signal, () => Promise.resolve(undefined));

const pages = readdirSync(new URL('../../demo/site', import.meta.url)).filter((name) =>
  name.endsWith('.html'),
);

/** Files that the service serves beside the pages. */
const fromService = new Set(['/embed.js', '/voice-assistant-chat.js']);

/** The strictest content security policy that the widget supports. */
const strictestPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "require-trusted-types-for 'script'; trusted-types lit-html";

async function read(path: string): Promise<string> {
  const response = await app.request(path);
  assert.equal(response.status, 200, path);
  return response.text();
}

const idsIn = (html: string): string[] => [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);

describe('the pages', () => {
  for (const page of pages) {
    it(`${page} loads nothing from other origins, and has no inline script or style`, async () => {
      const response = await app.request(`/${page}`);
      const policy = response.headers.get('Content-Security-Policy') ?? '';
      if (page === 'hostile-policy.html') assert.equal(policy, strictestPolicy);
      else assert.match(policy, /^default-src 'self';/);
      const html = await response.text();
      assert.doesNotMatch(html, /<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/);
      assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//);
    });

    it(`${page} has no broken links`, async () => {
      const html = await read(`/${page}`);
      for (const [, target = ''] of html.matchAll(/(?:src|href)="([^"]*)"/g)) {
        if (/^(?:mailto|tel):/.test(target) || fromService.has(target)) continue;
        const { pathname, hash } = new URL(target, `http://shop.example/${page}`);
        const found = await read(pathname);
        if (hash !== '') assert.ok(idsIn(found).includes(hash.slice(1)), `${page} points to ${target}`);
      }
    });
  }

  it('use the shop’s assistant in the shop', async () => {
    const greeting = demoAssistants.find(({ shows }) => shows === 'greeting');
    const [, uuid] = /data-assistant-id="([^"]+)"/.exec(await read('/')) ?? [];
    assert.equal(uuid, greeting?.uuid);
  });

  it('leave an unknown path to the service', async () => {
    assert.equal((await app.request('/no-such-page.html')).status, 404);
  });
});

describe('the gallery', async () => {
  // The cards build absolute URLs from `location`, as in a page.
  Object.assign(globalThis, { location: new URL('http://shop.example/gallery.html') });
  const assistants = JSON.parse(await read('/assistants.json')) as Parameters<typeof galleryGroups>[0];
  const cards = galleryGroups(assistants).flatMap((group) => group.cards);

  it('has a card for every seeded assistant', () => {
    for (const { shows, uuid } of demoAssistants) {
      const card = cards.find(({ id }) => id === `assistant-${shows}`);
      assert.equal(card?.attributes['assistant-id'], uuid);
    }
  });

  it('has a card for every kind of fault, each with an existing URL', async () => {
    const used = cards.flatMap(({ attributes }) => attributes['base-url'] ?? []);
    const kinds = used.map((url) => url.replace('http://shop.example/faults/', ''));
    assert.deepEqual(
      faultKinds.filter((kind) => !kinds.includes(kind)),
      [],
    );
    for (const kind of kinds.filter((kind) => kind.endsWith('-on-message'))) {
      const response = await app.request(`/faults/${kind}/api/conversations`, { method: 'POST' });
      assert.equal(response.status, 200, kind);
    }
  });

  it('gives every card a unique id', () => {
    const ids = cards.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('a snippet', () => {
  const attributes = { 'assistant-id': 'a', variables: '{"name":"<Ada\'s & co>"}', inline: '' };

  it('escapes markup and quotes in values', () => {
    assert.equal(
      snippetOf('html', attributes, 'https://chat.example'),
      [
        '<script type="module" src="https://chat.example/voice-assistant-chat.js"></script>',
        '<voice-assistant-chat',
        '  assistant-id="a"',
        `  variables='{"name":"&lt;Ada&#39;s &amp; co&gt;"}'`,
        '  inline',
        '></voice-assistant-chat>',
      ].join('\n'),
    );
  });

  it('has the attributes as data attributes on the script tag', () => {
    assert.equal(
      snippetOf('script', { 'assistant-id': 'a', color: '#123456' }, 'https://chat.example'),
      '<script\n  src="https://chat.example/embed.js"\n  data-assistant-id="a"\n  data-color="#123456"\n  async\n></script>',
    );
  });

  it('has a base-url if the script does not come from the service', () => {
    assert.match(
      snippetOf('npm', { 'assistant-id': 'a' }, 'https://chat.example'),
      /base-url="https:\/\/chat.example"/,
    );
  });
});
