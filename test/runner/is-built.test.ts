import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, it } from 'node:test';
import { isBuilt } from './is-built.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'is-built-'));
});
after(() => rm(folder, { recursive: true }));

/** Writes a file as if it were last changed at a time in seconds. */
async function write(path: string, time: number): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '');
  await utimes(file, time, time);
}

it('needs another build after a change of the widget, but not of the service', async () => {
  await write('src/widget/element.ts', 1);
  assert.equal(isBuilt(folder), false);
  // What `npm start` builds before it serves the demo is not enough.
  await write('dist/voice-assistant-chat.js', 2);
  assert.equal(isBuilt(folder), false);
  await write('dist/npm/element.js', 2);
  await write('dist/docs/index.html', 2);
  assert.equal(isBuilt(folder), true);
  await write('src/service/main.ts', 3);
  await write('src/voice/index.ts', 3);
  assert.equal(isBuilt(folder), true);
  await write('src/client/chat-client.ts', 3);
  assert.equal(isBuilt(folder), false);
});
