import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'drizzle-orm';
import { startService, testDatabase } from '../support/service.ts';

const { running } = await startService();
const { db, pool } = running.database;

test('the service runs on the database that this suite is about', () => {
  assert.equal(running.database.kind, testDatabase);
});

test('a query that fails does no harm to the ones after it, however they run', async () => {
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

test('a transaction that fails is rolled back whole', async () => {
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO users (name, email) VALUES ('a', 'gone@example.com')`);
      throw new Error('changed my mind');
    }),
  );
  const { rowCount } = await pool.query("SELECT 1 FROM users WHERE email = 'gone@example.com'");
  assert.equal(rowCount, 0);
});

test('transactions that run at once do not mix', async () => {
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
