import assert from 'node:assert/strict';
import { glob, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../../src/service/config.ts';
import { EmbeddedPostgres } from '../../src/service/db/embedded-postgres.ts';
import { openPglite } from '../../src/service/db/open-pglite.ts';
import { createLog } from '../../src/service/log.ts';
import { OperatorError } from '../../src/service/operator-error.ts';
import { serve } from '../../src/service/serve.ts';
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

test('has a service without workers warn that nobody else does its jobs', options, async () => {
  for (const [WORKERS, count] of [
    ['off', 1],
    ['on', 0],
  ] as const) {
    const dataDir = await newFolder();
    await copyPgliteImage(dataDir);
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    const config = readConfig({ DATA_DIR: dataDir, PORT: '0', FSYNC: 'off', WORKERS });
    const running = await serve(config, { log: pino({ level: 'warn' }, stream) });
    await running.close();
    assert.equal(lines.filter((line) => line.includes('WORKERS is off')).length, count);
  }
});
