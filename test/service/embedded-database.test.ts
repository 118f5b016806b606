import assert from 'node:assert/strict';
import { glob, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { EmbeddedPostgres } from '../../src/service/db/embedded-postgres.ts';
import { openPglite } from '../../src/service/db/open-pglite.ts';
import { createLog } from '../../src/service/log.ts';
import { OperatorError } from '../../src/service/operator-error.ts';
import { copyPgliteImage } from '../support/service/pglite-image.ts';
import { atEnd, testDatabase } from '../support/service/service.ts';

const options = { skip: testDatabase === 'postgres' && 'concerns the embedded database' };
const log = createLog('silent');

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether the error names the folder, a reason and the remedy. */
const isExplained = (folder: string, reason: string) => (error: unknown) => {
  assert.ok(error instanceof OperatorError);
  assert.equal(
    error.message,
    `The embedded database in ${folder} cannot be opened (${reason}). It must be complete, and belong to the user who ` +
      'runs the service.',
  );
  return true;
};

test('explains that its folder cannot be created', options, async () => {
  const file = join(await newFolder(), 'file');
  await writeFile(file, '');
  const folder = join(file, 'database');
  const reason = `ENOTDIR: not a directory, mkdir '${folder}'`;
  await assert.rejects(openPglite(folder, { fsync: false, log }), isExplained(folder, reason));
});

test('explains an error of the file system inside PGlite by its code', options, async () => {
  const file = join(await newFolder(), 'file');
  await writeFile(file, '');
  await assert.rejects(new EmbeddedPostgres(file, false, log).instance(), isExplained(file, 'ENOTDIR'));
});

test('explains that an incomplete copy cannot be opened, and unlocks it', options, async () => {
  const dataDir = await newFolder();
  await copyPgliteImage(dataDir);
  const folder = join(dataDir, 'database');
  for await (const segment of glob(join(folder, 'pg_wal/0*'))) await rm(segment);
  const isAborted = isExplained(folder, 'Aborted()');
  for (let attempt = 0; attempt < 2; attempt++)
    await assert.rejects(openPglite(folder, { fsync: false, log }), isAborted);
});
