import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import type { Pool } from 'pg';
import { sql } from 'drizzle-orm';
import { isTransientError } from '../../../src/service/db/is-transient-error.ts';
import { Notifications } from '../../../src/service/db/notifications.ts';
import { openPglite } from '../../../src/service/db/open-pglite.ts';
import { retryDuringOutage } from '../../../src/service/db/retry-during-outage.ts';
import { openPostgres } from '../../../src/service/db/open-postgres.ts';
import { createLog } from '../../../src/service/log.ts';
import {
  atEnd,
  createAssistant,
  createDatabase,
  newDatabase,
  readMoney,
  startService,
  testDatabase,
} from '../../support/service/service.ts';
import { mountSmallDisk } from '../../support/process/small-disk.ts';
import { spawnService, startServiceProcess } from '../../support/service/service-process.ts';
import { startModelServer } from '../../support/servers/model-server.ts';
import type { Behavior } from '../../support/servers/model-server.ts';
import { expectingFailures } from '../../support/service/check-answer.ts';
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
  const timeouts = { connectMs: 1500, statementMs: 1000, responseMs: 1200 };

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

  test('is not said to be slow by /readyz if it refuses connections', async () => {
    const proxy = await startSilentProxy((await createDatabase()).DATABASE_URL);
    const service = await startServiceProcess({ DATABASE_URL: proxy.url });
    await proxy.close();
    let reasons = '';
    await eventually(
      () => `the reason, instead of ${reasons}`,
      async () => {
        const { json } = await service.get('/readyz');
        reasons = String(json['reasons']);
        return reasons === 'The database cannot be used (ECONNREFUSED).';
      },
    );
    service.signal('SIGKILL');
    await service.child.ended;
  });

  test('fails the running queries and opens new connections for later ones', async () => {
    const { proxy, database } = await openThroughProxy();
    // Opens both connections, since a query on a new one would succeed.
    await Promise.all([1, 2].map(() => database.pool.query('SELECT 1')));
    let other: Promise<void> | undefined;
    const transaction = database.transaction(async (tx) => {
      await tx.execute(sql`SELECT 1`);
      proxy.fallSilent(true);
      other = assert.rejects(database.pool.query('SELECT 2'));
      await tx.execute(sql`SELECT 3`);
    });
    await assert.rejects(transaction);
    assert.ok(other, 'The transaction failed before the server fell silent.');
    await other;
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

describe(
  'a reply that ends during an outage of the server',
  { skip: testDatabase === 'pglite' && 'needs a PostgreSQL server' },
  () => {
    async function startReply(behavior: Behavior) {
      const model = await startModelServer();
      atEnd(() => model.close());
      const direct = await newDatabase();
      const here = await startService(direct);
      const { uuid: assistant, userId } = await createAssistant(here, { balance: '1' });
      const proxy = await startSilentProxy(String(direct['DATABASE_URL']));
      atEnd(() => proxy.close());
      const service = await startServiceProcess({
        ...direct,
        ...{
          DATABASE_URL: proxy.url,
          LLM_BASE_URL: model.url,
          LLM_API_KEY: 'k',
          REPLY_LEASE_SECONDS: '3600',
        },
      });
      atEnd(async () => {
        service.signal('SIGTERM');
        await service.child.ended;
      });
      const conversation = await service.open(assistant);
      const gate = Promise.withResolvers<undefined>();
      model.behave({ gate: gate.promise, ...behavior });
      const key = { 'Idempotency-Key': randomUUID() };
      const send = () => service.send(conversation, 'Hello', key);
      const sent = send();
      await model.received(1);
      proxy.refuse();
      gate.resolve(undefined);
      return {
        model,
        proxy,
        service,
        send,
        sent,
        balance: async () => (await readMoney(here, userId)).balance,
      };
    }

    test('is stored when the server is back, and charged once', async () => {
      const { model, proxy, service, send, sent, balance } = await startReply({ chunks: ['Late'] });
      await eventually('the outage', async () => (await service.get('/readyz')).status === 503);
      proxy.restart();
      assert.equal((await sent).json['message'], 'Late');
      assert.equal((await send()).json['message'], 'Late');
      assert.equal(model.requests.length, 1);
      assert.equal(await balance(), 0.99);
    });

    test('is refunded when the server is back, not only when its lease has expired, if it failed', async () => {
      const { model, proxy, send, sent, balance } = await startReply({ chunks: ['We '], ending: 'cut' });
      assert.equal((await sent).status, 400);
      assert.equal(await balance(), 0.99);
      proxy.restart();
      await eventually('the refund', async () => (await balance()) === 1);
      model.behave({ chunks: ['In time'] });
      assert.equal((await send()).json['message'], 'In time');
    });
  },
);

test(
  'work that may wait is repeated if the server has ended a deadlock with it',
  { skip: testDatabase === 'pglite' && 'one connection' },
  async () => {
    const { DATABASE_URL } = await newDatabase();
    const database = await openPostgres(String(DATABASE_URL), { poolSize: 2, log });
    atEnd(() => database.close());
    const both = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()] as const;
    let failures = 0;
    const lockInOrder = (first: 0 | 1, second: 0 | 1) =>
      retryDuringOutage(
        () =>
          database.transaction(async (tx) => {
            await tx.execute(sql`SELECT pg_advisory_xact_lock(${first})`);
            both[first].resolve(undefined);
            await both[second].promise;
            await tx.execute(sql`SELECT pg_advisory_xact_lock(${second})`);
          }),
        {
          mayRetry: () => true,
          onFirstFailure: () => {
            failures++;
          },
        },
      );
    await Promise.all([lockInOrder(0, 1), lockInOrder(1, 0)]);
    assert.equal(failures, 1);
  },
);

describe(
  'a message whose connection is lost while it is committed',
  { skip: testDatabase === 'pglite' && 'needs a PostgreSQL server' },
  () => {
    test('is answered and charged once, as soon as the server is back, also without a repeat', async () => {
      const direct = await newDatabase();
      const here = await startService(direct);
      const { uuid: assistant, userId } = await createAssistant(here, { balance: '1' });
      const { pool } = here.running.database;
      const proxy = await startSilentProxy(String(direct['DATABASE_URL']));
      atEnd(() => proxy.close());
      const service = await startServiceProcess({
        ...direct,
        ...{ DATABASE_URL: proxy.url, REPLY_LEASE_SECONDS: '3600' },
      });
      const conversation = await service.open(assistant);
      // The commit waits for a lock of the test, and the server does not notice that its client is gone.
      await pool.query(`
        CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER wait_for_test AFTER INSERT ON messages DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW WHEN (NEW.role = 'user') EXECUTE FUNCTION wait_for_test()`);
      const client = await pool.connect();
      await client.query('SELECT pg_advisory_lock(1)');
      const key = { 'Idempotency-Key': randomUUID() };
      const sent = service.send(conversation, 'Hello', key);
      await eventually('the commit', async () => {
        const { rows } = await pool.query(
          "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND pid <> pg_backend_pid()",
        );
        return rows.length > 0;
      });
      await expectingFailures(async () => {
        proxy.refuse();
        assert.equal((await sent).status, 500);
      });
      await client.query('SELECT pg_advisory_unlock(1)');
      client.release();
      const history = () => here.history(conversation);
      await eventually('the message', async () => (await history()).includes('user: Hello'));
      proxy.restart();
      await eventually('the answer', async () => (await history()).length === 2);
      const { status, json } = await service.send(conversation, 'Hello', key);
      assert.deepEqual(
        [status, await history()],
        [200, ['user: Hello', `assistant: ${String(json['message'])}`]],
      );
      assert.deepEqual(await readMoney(here, userId), { balance: 0.99, ledger: 0.99 });
      service.signal('SIGTERM');
      await service.child.ended;
    });
  },
);

describe(
  'a PostgreSQL server that is read-only, as a standby is',
  { skip: testDatabase === 'pglite' },
  () => {
    const isReadOnly = /read-only/;

    /** Sets whether new connections to a database are read-only; open ones stay as they are, as after a failover. */
    async function setReadOnly(pool: Pool, isOn: boolean): Promise<void> {
      const { rows } = await pool.query<{ name: string }>('SELECT quote_ident(current_database()) AS name');
      await pool.query(
        `BEGIN READ WRITE; ALTER DATABASE ${rows[0]?.name ?? ''} SET default_transaction_read_only = ${isOn ? 'on' : 'off'}; COMMIT`,
      );
    }

    async function openWritable() {
      const { DATABASE_URL } = await newDatabase();
      const admin = await openPostgres(String(DATABASE_URL), { poolSize: 1, log });
      atEnd(() => admin.close());
      return { url: String(DATABASE_URL), setReadOnly: (isOn: boolean) => setReadOnly(admin.pool, isOn) };
    }

    test('loses its connections, so that the next ones reach the primary', async () => {
      const it = await openWritable();
      const database = await openPostgres(it.url, { poolSize: 1, log });
      atEnd(() => database.close());
      const write = () => database.transaction((tx) => tx.execute(sql`UPDATE heartbeat SET last_at = now()`));
      await it.setReadOnly(true);
      // The first connection was opened before.
      await database.pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      await assert.rejects(write, ({ cause }: Error) => isReadOnly.test(String(cause)));
      await it.setReadOnly(false);
      await write();
    });

    test('is an outage, after which work that may wait is repeated', async () => {
      const it = await openWritable();
      await it.setReadOnly(true);
      const database = await openPostgres(it.url, { poolSize: 1, log });
      atEnd(() => database.close());
      const error = await database.db
        .execute(sql`UPDATE heartbeat SET last_at = now()`)
        .catch((reason: unknown) => reason);
      assert.ok(isTransientError(error));
    });

    test('is the reason that /readyz returns, until a primary has taken its place', async () => {
      const it = await openWritable();
      const service = await startServiceProcess({ DATABASE_URL: it.url, DATABASE_POOL_SIZE: '1' });
      await it.setReadOnly(true);
      // The service's connections were opened before. It opens new ones instead.
      const client = new Client(it.url);
      await client.connect();
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'voice-assistant-chat'`,
      );
      await client.end();
      // The first reason can be that the connection was lost.
      await eventually('the reason', async () => {
        const { status, json } = await service.get('/readyz');
        return status === 503 && isReadOnly.test(String(json['reasons']));
      });
      assert.equal((await service.get('/healthz')).status, 503);
      await it.setReadOnly(false);
      await eventually('the primary', async () => (await service.get('/readyz')).status === 200);
      service.signal('SIGKILL');
      await service.child.ended;
    });

    test('keeps the service from starting, which says why', async () => {
      const it = await openWritable();
      await it.setReadOnly(true);
      const child = spawnService({ DATABASE_URL: it.url });
      assert.equal(await child.ended, 1);
      assert.match(child.output(), /^The PostgreSQL server that DATABASE_URL names is read-only[^\n]*\n$/);
    });
  },
);

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
        database.db.transaction((tx) => tx.execute(sql`SELECT 1`)),
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
