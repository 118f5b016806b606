import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { atEnd, newDatabase } from '../../support/service/service.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';

/** Creates the folder of a built widget. */
async function buildWidget(version: string, text = version): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'chunks'));
  for (const name of ['embed.js', 'voice-assistant-chat.js', `chunks/panel-${version}.js`])
    await writeFile(join(folder, name), `// ${text}`);
  await writeFile(join(folder, 'integrity.json'), JSON.stringify({ version, files: { 'embed.js': text } }));
  return folder;
}

const read = async (url: string) => {
  // Otherwise the service waits for the connection when it stops.
  const response = await fetch(url, { headers: { Connection: 'close' } });
  return [response.status, await response.text()];
};

it('serves the files of earlier versions after an upgrade and after a downgrade', async () => {
  const env = await newDatabase();
  for (const [version, earlier] of [
    ['1.0.0', undefined],
    ['1.1.0', '1.0.0'],
    ['1.0.0', '1.1.0'],
  ] as const) {
    const folder = await buildWidget(version);
    const service = await startServiceProcess({ ...env, WIDGET_DIR: folder });
    for (const each of [version, earlier ?? version]) {
      assert.deepEqual(await read(`${service.url}/v/${each}/embed.js`), [200, `// ${each}`]);
      assert.deepEqual(await read(`${service.url}/v/${each}/chunks/panel-${each}.js`), [200, `// ${each}`]);
      // A page that was opened before the upgrade loads its chunks without a version.
      assert.deepEqual(await read(`${service.url}/chunks/panel-${each}.js`), [200, `// ${each}`]);
    }
    assert.equal((await read(`${service.url}/chunks/panel-0.9.0.js`))[0], 404);
    assert.deepEqual(await read(`${service.url}/embed.js`), [200, `// ${version}`]);
    await service.stop();
    await rm(folder, { recursive: true });
  }
});

it('serves the files of its version while a later one is installed, until it is restarted', async () => {
  const folder = await buildWidget('1.0.0');
  const service = await startServiceProcess({ ...(await newDatabase()), WIDGET_DIR: folder });
  await rm(folder, { recursive: true });
  await rename(await buildWidget('1.1.0'), folder);
  for (const version of ['1.0.0', '1.1.0']) {
    const files = ['embed.js', `chunks/panel-${version}.js`].map((name) => `/v/${version}/${name}`);
    for (const path of [...files, `/chunks/panel-${version}.js`])
      assert.deepEqual(await read(service.url + path), [200, `// ${version}`], path);
  }
  await service.stop();
});

it('serves no files of another version if it could not keep its own', async () => {
  const env = await newDatabase();
  await writeFile(join(env['DATA_DIR'] ?? '', 'widget'), 'a file in the place of the folder');
  const folder = await buildWidget('1.0.0');
  const service = await startServiceProcess({ ...env, WIDGET_DIR: folder });
  await rm(folder, { recursive: true });
  await rename(await buildWidget('1.1.0'), folder);
  assert.equal((await read(`${service.url}/v/1.0.0/embed.js`))[0], 404);
  await service.stop();
});

it('serves the latest build of a version, as in a checkout', async () => {
  const env = await newDatabase();
  for (const [version, text] of [
    ['1.0.0', 'first'],
    ['1.0.0', 'second'],
    ['1.1.0', 'third'],
  ] as const) {
    const service = await startServiceProcess({ ...env, WIDGET_DIR: await buildWidget(version, text) });
    const expected = version === '1.0.0' ? text : 'second';
    assert.deepEqual(await read(`${service.url}/v/1.0.0/embed.js`), [200, `// ${expected}`]);
    await service.stop();
  }
});

it('starts if it cannot keep its version, and says why in the log', async () => {
  const env = await newDatabase();
  await writeFile(join(env['DATA_DIR'] ?? '', 'widget'), 'a file in the place of the folder');
  const service = await startServiceProcess({ ...env, WIDGET_DIR: await buildWidget('1.0.0') });
  assert.deepEqual(await read(`${service.url}/v/1.0.0/embed.js`), [200, '// 1.0.0']);
  assert.match(service.child.output(), /could not store the files of version 1\.0\.0/);
  await service.stop();
});
