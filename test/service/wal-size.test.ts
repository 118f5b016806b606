import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { newDatabase, startService, testDatabase } from '../support/service/service.ts';

test(
  'keeps the write-ahead log of the embedded database small, also without workers',
  { skip: testDatabase === 'postgres' && 'a server writes checkpoints itself' },
  async () => {
    const env = await newDatabase();
    const service = await startService({ ...env, WORKERS: 'off', REPLY_LEASE_SECONDS: '3' });
    const { pool } = service.running.database;
    const folder = join(env['DATA_DIR'] ?? '', 'database', 'pg_wal');
    const countSegments = () => readdirSync(folder).filter((name) => /^[0-9A-F]{24}$/.test(name)).length;
    await pool.query('CREATE TABLE filler (text text)');
    // 160 MB, which are ten segments.
    for (let megabytes = 0; megabytes < 160; megabytes += 20)
      await pool.query("INSERT INTO filler SELECT repeat('x', 1000) FROM generate_series(1, 20000)");
    await eventually('a small log', () => countSegments() <= 6);
  },
);
