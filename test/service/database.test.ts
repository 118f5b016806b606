import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { eq, sql } from 'drizzle-orm';
import { prepared } from '../../src/service/db/prepared.ts';
import { retryDuringOutage } from '../../src/service/db/retry-during-outage.ts';
import { users } from '../../src/service/db/schema.ts';
import { openPostgres } from '../../src/service/db/open-postgres.ts';
import { runStatements } from '../../src/service/db/run-statements.ts';
import { createLog } from '../../src/service/log.ts';
import { startSilentProxy } from '../support/servers/silent-proxy.ts';
import { atEnd, newDatabase, startService, testDatabase } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const { running } = await startService();
const { db, pool, transaction } = running.database;

/** Both functions that run a transaction. */
const ways = {
  'of its own': transaction,
  'of the library': (work: Parameters<typeof transaction>[0]) => db.transaction(work),
};

test('runs on the database of the suite', () => {
  assert.equal(running.database.kind, testDatabase);
});

test('runs later queries normally after a failed one', async () => {
  for (let round = 0; round < 5; round++) {
    await assert.rejects(pool.query('SELECT 1/0'), { code: '22012' });
    await assert.rejects(db.execute(sql`SELECT ${'x'}::integer`));
    await assert.rejects(db.transaction((tx) => tx.execute(sql`SELECT * FROM nowhere`)));
    const rows = await Promise.all(
      [1, 2, 3].map((n) => db.execute<{ n: number }>(sql`SELECT ${n}::integer AS n`)),
    );
    assert.deepEqual(
      rows.map((result) => result.rows[0]?.n),
      [1, 2, 3],
    );
  }
});

test('repeats work that failed because a disk was full, but not work that fails by itself', async () => {
  const repeat = (code: string) => {
    let attempts = 0;
    const mayRetry = () => ++attempts < 2;
    const fail = sql.raw(`DO $$ BEGIN RAISE 'failed' USING ERRCODE = '${code}'; END $$`);
    const work = retryDuringOutage(() => db.execute(fail), { mayRetry, onFirstFailure: () => undefined });
    return work.catch(() => attempts);
  };
  assert.equal(await repeat('53100'), 2);
  assert.equal(await repeat('22012'), 0);
});

for (const [name, begin] of Object.entries(ways)) {
  test(`rolls back a failed transaction ${name}`, async () => {
    await assert.rejects(
      begin(async (tx) => {
        await tx.execute(sql`INSERT INTO users (name, email) VALUES ('a', 'gone@example.com')`);
        throw new Error('changed my mind');
      }),
      /changed my mind/,
    );
    const { rowCount } = await pool.query("SELECT 1 FROM users WHERE email = 'gone@example.com'");
    assert.equal(rowCount, 0);
  });

  test(`ends a transaction ${name} when its connection breaks`, async () => {
    await assert.rejects(begin((tx) => tx.execute(sql`SELECT * FROM nowhere`)));
    assert.equal((await pool.query('SELECT 1')).rowCount, 1);
  });

  test(
    `releases the connection of a transaction ${name} that cannot begin`,
    { skip: testDatabase === 'pglite' && 'an embedded database has no connections' },
    async () => {
      // Every connection, since the service's own work may take the next one.
      const cut = (client: unknown) => {
        (client as { connection: { stream: Socket } }).connection.stream.destroy();
      };
      pool.on('acquire', cut);
      for (let round = 0; round < 3; round++) await assert.rejects(begin((tx) => tx.execute(sql`SELECT 1`)));
      pool.off('acquire', cut);
      await until(() => pool.idleCount === pool.totalCount);
    },
  );

  test(
    `fails only the transaction ${name} whose connection the server ends`,
    { skip: testDatabase === 'pglite' && 'an embedded database has no connections' },
    async () => {
      await assert.rejects(
        begin(async (tx) => {
          await tx.execute(sql`INSERT INTO users (name, email) VALUES ('a', 'cut@example.com')`);
          const { rows } = await tx.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
          // Runs on another connection, and resolves when this one has ended.
          await pool.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
          await tx.execute(sql`SELECT 1`);
        }),
      );
      const { rowCount } = await pool.query("SELECT 1 FROM users WHERE email = 'cut@example.com'");
      assert.equal(rowCount, 0);
    },
  );
}

test(
  "closes the connection of a library's statement that does not respond",
  { skip: testDatabase === 'pglite' && 'an embedded database has no connections' },
  async () => {
    const { DATABASE_URL: url = '' } = await newDatabase();
    const proxy = await startSilentProxy(url);
    const timeouts = { connectMs: 10_000, statementMs: 10_000, responseMs: 100 };
    const opened = await openPostgres(proxy.url, { poolSize: 1, log: createLog('silent'), timeouts });
    atEnd(async () => {
      await opened.close();
      await proxy.close();
    });
    const run = runStatements(opened.pool);
    proxy.fallSilent(true);
    await assert.rejects(run('SELECT 1'), /timeout/);
    assert.equal(opened.pool.totalCount, 0);
  },
);

test('reuses a prepared query with other values, inside and outside transactions', async () => {
  const findUser = prepared<{ email: string }, { name: string }[]>((queries, place) =>
    queries.select({ name: users.name }).from(users).where(eq(users.email, place.email)),
  );
  const emails = ['first@example.com', 'second@example.com'];
  for (const email of emails) await db.insert(users).values({ name: email.slice(0, 5), email });
  for (let round = 0; round < 8; round++) {
    for (const email of emails) {
      const expected = [{ name: email.slice(0, 5) }];
      assert.deepEqual(await findUser(db, { email }), expected);
      assert.deepEqual(await transaction((tx) => findUser(tx, { email })), expected);
    }
  }
});

test(
  'has PostgreSQL plan a statement once per connection',
  { skip: testDatabase === 'pglite' || process.env['TEST_POOLER'] === 'transaction' },
  async () => {
    const planned = await transaction(async (tx) => {
      for (const n of [1, 2, 3]) await tx.execute(sql`SELECT ${n}::integer AS planned_once`);
      const { rows } = await tx.execute<{ count: number }>(
        sql`SELECT count(*)::integer AS count FROM pg_prepared_statements WHERE statement LIKE '%planned_once%'`,
      );
      return rows[0]?.count;
    });
    assert.equal(planned, 1);
  },
);

test('isolates concurrent transactions', async () => {
  await pool.query('CREATE TABLE counter (n integer NOT NULL)');
  await pool.query('INSERT INTO counter VALUES (0)');
  await Promise.all(
    Array.from({ length: 20 }, () =>
      db.transaction(async (tx) => {
        const { rows } = await tx.execute<{ n: number }>(sql`SELECT n FROM counter FOR UPDATE`);
        await tx.execute(sql`UPDATE counter SET n = ${(rows[0]?.n ?? 0) + 1}`);
      }),
    ),
  );
  const { rows } = await pool.query<{ n: number }>('SELECT n FROM counter');
  assert.equal(rows[0]?.n, 20);
});

test(
  'runs transactions as read committed, whatever the default isolation of the database',
  { skip: testDatabase === 'pglite' && 'needs a PostgreSQL server' },
  async () => {
    const url = String((await newDatabase()).DATABASE_URL);
    const log = createLog('silent');
    const admin = await openPostgres(url, { poolSize: 1, log });
    atEnd(() => admin.close());
    await admin.pool.query(`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = %L', current_database(), 'repeatable read');
    END $$`);
    const opened = await openPostgres(url, { poolSize: 1, log });
    atEnd(() => opened.close());
    const { rows } = await opened.pool.query('SHOW transaction_isolation');
    assert.deepEqual(rows, [{ transaction_isolation: 'read committed' }]);
  },
);
