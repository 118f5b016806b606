import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Pool } from 'pg';
import { sql } from 'drizzle-orm';
import { Notifications } from '../../../src/service/db/notifications.ts';
import { openPglite } from '../../../src/service/db/open-pglite.ts';
import { openPostgres } from '../../../src/service/db/open-postgres.ts';
import { createLog } from '../../../src/service/log.ts';
import { atEnd, createDatabase, newDatabase, testDatabase } from '../../support/service/service.ts';
import { mountSmallDisk } from '../../support/process/small-disk.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import { startSilentProxy } from '../../support/servers/silent-proxy.ts';
import { eventually } from '../../support/eventually.ts';

const log = createLog('silent');

/** Waits until the database answers. */
async function answers(pool: Pool): Promise<void> {
  let problem: unknown;
  await eventually(
    () => `the database, which fails with ${String(problem)}`,
    () =>
      pool.query('SELECT 1').catch((error: unknown) => {
        problem = error;
        return false;
      }),
  );
}

describe('a PostgreSQL server that stops responding', { skip: testDatabase === 'pglite' }, () => {
  const timeouts = { connectMs: 500, statementMs: 300, responseMs: 600 };

  async function openThroughProxy() {
    const proxy = await startSilentProxy((await createDatabase()).DATABASE_URL);
    const database = await openPostgres(proxy.url, { poolSize: 2, log, timeouts });
    atEnd(async () => {
      await database.close();
      await proxy.close();
    });
    return { proxy, database };
  }

  test('is the reason that /readyz returns', async () => {
    const proxy = await startSilentProxy((await createDatabase()).DATABASE_URL);
    const service = await startServiceProcess({ DATABASE_URL: proxy.url });
    const { json } = await service.get('/readyz');
    assert.deepEqual(json, { status: 'ok', warnings: json['warnings'] });
    proxy.fallSilent(false);
    const { status, json: unready } = await service.get('/readyz');
    assert.equal(status, 503);
    assert.equal(unready['status'], 'unavailable');
    assert.match(String(unready['reasons']), /^The database does not respond within \d+ seconds\.$/);
    service.signal('SIGKILL');
    await service.child.ended;
    await proxy.close();
  });

  test('fails the running queries and opens new connections for later ones', async () => {
    const { proxy, database } = await openThroughProxy();
    const running = Promise.allSettled([
      database.pool.query('SELECT pg_sleep(0.2)'),
      database.transaction(async (tx) => {
        await tx.execute(sql`SELECT 1`);
        proxy.fallSilent(true);
        await tx.execute(sql`SELECT 2`);
      }),
    ]);
    const outcomes = await running;
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    const answers = await Promise.all([1, 2].map(() => database.pool.query('SELECT 1')));
    assert.ok(answers.every(({ rowCount }) => rowCount === 1));
  });

  test('returns errors while no connection can be opened, and recovers by itself', async () => {
    const { proxy, database } = await openThroughProxy();
    proxy.fallSilent(false);
    for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(database.pool.query('SELECT 1'));
    proxy.recover();
    await answers(database.pool);
    assert.ok(database.pool.totalCount <= 2);
  });
});

describe('a full disk under the embedded database', { skip: testDatabase === 'postgres' }, () => {
  for (const [title, rows, freeMegabytes] of [
    ['a table', 200, 0],
    ['the write-ahead log', 2, 20],
  ] as const) {
    test(`fails ${title} that has no room, and recovers without a restart or a loss`, async (t) => {
      const disk = await mountSmallDisk(200);
      if (disk === undefined) {
        t.skip('this process may not mount a file system');
        return;
      }
      atEnd(() => disk.unmount());
      const { DATA_DIR: image = '' } = await newDatabase();
      const folder = join(disk.folder, 'database');
      await cp(join(image, 'database'), folder, { recursive: true });
      const database = await openPglite(folder, { fsync: true, log });
      const { pool } = database;
      const received: string[] = [];
      const notifications = new Notifications(database, 'test', (payload) => received.push(payload), log);
      notifications.open();
      await pool.query('CREATE TABLE filler (text text)');
      await disk.fill(freeMegabytes);

      let stored = 0;
      const fill = async () => {
        for (;;) {
          await pool.query(
            `INSERT INTO filler
             SELECT (SELECT string_agg(md5(random()::text || i || n), '') FROM generate_series(1, 200) i)
             FROM generate_series(1, $1) n`,
            [rows],
          );
          stored += rows;
        }
      };
      await assert.rejects(fill(), { code: '53100' });
      // Queries may succeed or fail, but must not hang.
      await Promise.allSettled([
        pool.query('SELECT 1'),
        database.transaction((tx) => tx.execute(sql`SELECT 1`)),
      ]);

      await disk.free();
      await answers(pool);
      const { rows: counted } = await pool.query<{ count: number }>(
        'SELECT count(*)::integer AS count FROM filler',
      );
      assert.equal(counted[0]?.count, stored);
      await pool.query("INSERT INTO filler VALUES ('room again')");
      await pool.query("NOTIFY test, 'after the recovery'");
      assert.deepEqual([received, notifications.isReliable], [['after the recovery'], true]);
      await notifications.close();
      await database.close();
    });
  }
});
