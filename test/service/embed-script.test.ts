import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { rawRequest } from '../support/service/raw-request.ts';
import { atEnd, createAssistant, startService } from '../support/service/service.ts';

const folder = await mkdtemp(join(tmpdir(), 'widget-'));
atEnd(() => rm(folder, { recursive: true, force: true }));
const hint = '//# allFunctionsCalledOnLoad\n';
const shell = `shellRan = true;${' '.repeat(2000)}\n//# sourceMappingURL=embed.js.map\n`;
const writeShell = (text: string) => writeFile(join(folder, 'embed.js'), text);
await writeShell(hint + shell);
await writeFile(
  join(folder, 'embed.js.map'),
  JSON.stringify({ version: 3, sources: ['embed.ts'], names: [], mappings: ';AAAA' }),
);
const service = await startService({ WIDGET_DIR: folder });

/** Runs a script as a page would; returns its globals. */
function run(script: string, globals: Record<string, unknown> = {}): Record<string, unknown> {
  runInNewContext(script, globals);
  return structuredClone(globals);
}

test('serves the compile hint, the settings of the assistant and the shell in one file', async () => {
  const widgetSettings = { theme: 'dark', color: '#0f766e', position: 'left-bottom' };
  const { uuid } = await createAssistant(service, { name: 'Kim', widgetSettings });
  const { status, text, headers } = await service.get(`/embed/${uuid}.js`);
  const { json } = await service.get(`/api/assistants/${uuid}/widget`);
  assert.equal(status, 200);
  assert.equal(headers.get('Content-Type'), 'text/javascript; charset=utf-8');
  assert.equal(
    text,
    `${hint}(globalThis.voiceAssistantChatSettings??={})["${uuid}"]=${JSON.stringify(json['data'])};\n${shell}`,
  );
  assert.deepEqual(run(text), { voiceAssistantChatSettings: { [uuid]: json['data'] }, shellRan: true });
});

test('keeps the settings of other assistants on the page', async () => {
  const first = await createAssistant(service);
  const second = await createAssistant(service);
  const globals = {};
  for (const { uuid } of [first, second]) {
    runInNewContext((await service.get(`/embed/${uuid}.js`)).text, globals);
  }
  const { voiceAssistantChatSettings } = globals as { voiceAssistantChatSettings: object };
  assert.deepEqual(Object.keys(voiceAssistantChatSettings), [first.uuid, second.uuid]);
});

test('escapes characters that would end a script element or a line', async () => {
  const name = '</script><!--\u2028\u2029"\\';
  const { uuid } = await createAssistant(service, { name });
  const { text } = await service.get(`/embed/${uuid}.js`);
  assert.doesNotMatch(text, /<|\u2028|\u2029/);
  const { voiceAssistantChatSettings } = run(text) as {
    voiceAssistantChatSettings: Record<string, { name: string }>;
  };
  assert.equal(voiceAssistantChatSettings[uuid]?.name, name);
});

test('serves the shell alone for an unknown assistant', async () => {
  for (const id of [randomUUID(), 'not-a-uuid']) {
    const { status, text } = await service.get(`/embed/${id}.js`);
    assert.equal(status, 200);
    assert.equal(text, `${hint}\n${shell}`);
  }
});

test('allows any origin and caching for a minute', async () => {
  const { uuid } = await createAssistant(service);
  const { headers } = await service.get(`/embed/${uuid}.js`);
  assert.equal(headers.get('Cache-Control'), 'public, max-age=60');
  assert.equal(headers.get('Access-Control-Allow-Origin'), '*');
  assert.equal(headers.get('Cross-Origin-Resource-Policy'), 'cross-origin');
});

test('returns 304 until the settings or the shell change', async () => {
  const { uuid, id } = await createAssistant(service);
  const get = async (etag = '') => {
    const headers = { 'Accept-Encoding': 'br', 'If-None-Match': etag };
    return rawRequest(`${service.url}/embed/${uuid}.js`, { headers });
  };
  const first = await get();
  const etag = String(first.headers['etag']);
  const unchanged = await get(etag);
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.headers['access-control-allow-origin'], '*');
  assert.equal(unchanged.headers['cross-origin-resource-policy'], 'cross-origin');
  assert.equal(unchanged.headers['cache-control'], 'public, max-age=60');

  await service.running.database.pool.query('UPDATE assistants SET name = $1 WHERE id = $2', ['New', id]);
  const renamed = await get(etag);
  assert.equal(renamed.status, 200);
  assert.match(renamed.text, /"name":"New"/);

  await writeShell(`${hint}${shell}// newer\n`);
  const rebuilt = await get(String(renamed.headers['etag']));
  await writeShell(hint + shell);
  assert.equal(rebuilt.status, 200);
  assert.match(rebuilt.text, /newer\n$/);
});

test('compresses the script with an entity tag for each encoding', async () => {
  const { uuid } = await createAssistant(service);
  const answers = await Promise.all(
    ['br, gzip', 'gzip', 'br;q=0'].map((accepted) =>
      rawRequest(`${service.url}/embed/${uuid}.js`, { headers: { 'Accept-Encoding': accepted } }),
    ),
  );
  assert.deepEqual(
    answers.map(({ headers }) => headers['content-encoding']),
    ['br', 'gzip', undefined],
  );
  assert.equal(new Set(answers.map(({ headers }) => headers['etag'])).size, 3);
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.ok(answers.every(({ headers }) => headers['vary'] === 'Accept-Encoding'));
});

test('serves a source map that accounts for the line of the settings', async () => {
  const { uuid } = await createAssistant(service);
  const { text } = await service.get(`/embed/${uuid}.js`);
  const comment = /sourceMappingURL=(\S+)/.exec(text)?.[1] ?? '';
  const { pathname } = new URL(comment, `${service.url}/embed/${uuid}.js`);
  const { json } = await service.get(pathname);
  const line = text.split('\n').findIndex((content) => content.startsWith('shellRan'));
  const sources = new SourceMap(json as never);
  assert.partialDeepStrictEqual(sources.findEntry(line, 0), { originalSource: 'embed.ts', originalLine: 0 });
});

test('returns 404 with the reason if the widget has not been built', async () => {
  const unbuilt = await startService({ WIDGET_DIR: join(folder, 'nowhere') });
  for (const path of [`/embed/${randomUUID()}.js`, '/embed/embed.js.map']) {
    const { status, json } = await unbuilt.get(path);
    assert.equal(status, 404);
    assert.match(json['message'] as string, /npm run build/);
  }
});
