import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, describe, mock, test } from 'node:test';
import { newDatabase, startService, testDatabase } from '../support/service/service.ts';

// The embedded database's file system has no fsync of its own: PostgreSQL's calls have to reach the operating system.
describe('the embedded database', { skip: testDatabase === 'postgres' }, () => {
  const fsync = mock.method(fs, 'fsyncSync');
  before(syncBuiltinESMExports);
  after(() => {
    fsync.mock.restore();
    syncBuiltinESMExports();
  });

  for (const [setting, isSynced] of [
    ['on', true],
    ['off', false],
  ] as const)
    test(`${isSynced ? 'waits' : 'does not wait'} for the disk at a commit with FSYNC=${setting}`, async () => {
      const service = await startService({ ...(await newDatabase()), FSYNC: setting, WORKERS: 'off' });
      const { pool } = service.running.database;
      await pool.query('CREATE TABLE synced (text text)');
      fsync.mock.resetCalls();
      await pool.query("INSERT INTO synced VALUES ('committed')");
      assert.equal(fsync.mock.callCount() > 0, isSynced);
    });
});
