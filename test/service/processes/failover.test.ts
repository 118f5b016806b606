import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { eventually } from '../../support/eventually.ts';
import { startSilentProxy } from '../../support/servers/silent-proxy.ts';
import { startPostgres, startStandby } from '../../support/service/postgres.ts';
import { RetryingVisitor } from '../../support/service/retrying-visitor.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import {
  atEnd,
  createAssistant,
  newDatabase,
  startService,
  testDatabase,
} from '../../support/service/service.ts';

test(
  'no message is lost or doubled when a synchronous standby takes the place of a crashed primary',
  { skip: testDatabase === 'pglite' && 'needs PostgreSQL servers' },
  async (t) => {
    // A crash of the server keeps what was given to the system, so fsync can be off.
    const primary = await startPostgres({ settings: ['fsync=off', 'max_connections=300'] });
    const admin = new pg.Client(primary.url('postgres'));
    // The crash of the primary breaks this connection.
    admin.on('error', () => undefined);
    await admin.connect();
    await admin.query('CREATE DATABASE chat');
    const proxy = await startSilentProxy(primary.url('chat'));
    const env = { ...(await newDatabase()), DATABASE_URL: proxy.url, REPLY_LEASE_SECONDS: '4' };
    const here = await startService(env);
    const process = await startServiceProcess(env);
    const { uuid: assistant, userId } = await createAssistant(here, { balance: '100' });
    const standby = await startStandby(primary);
    atEnd(async () => {
      await proxy.close();
      await primary.stop();
      await standby?.stop();
    });
    if (!standby) {
      t.skip('needs pg_basebackup');
      return;
    }
    // As in docs/scaling.md.
    await admin.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await admin.query('SELECT pg_reload_conf()');
    await eventually('the synchronous standby', async () => {
      const { rowCount } = await admin.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
      return rowCount === 1;
    });

    const retries = { maxAttempts: 10_000, pause: 20 };
    const visitors = await Promise.all(
      [here.url, process.url, here.url, process.url].map((url) =>
        RetryingVisitor.open(url, assistant, retries),
      ),
    );
    const half = Promise.withResolvers<undefined>();
    const visits = visitors.map(async (visitor, index) => {
      for (let message = 1; message <= 12; message++) {
        await visitor.say(`Message ${message}`, { streaming: index % 2 === 0 });
        if (message === 6) half.resolve(undefined);
      }
    });
    await half.promise;
    await primary.stop();
    await standby.promote();
    proxy.leadTo(standby.url('chat'));
    await Promise.all(visits);

    const exchanges = visitors.flatMap((visitor) => visitor.exchanges);
    assert.ok(exchanges.some(({ failures }) => failures.length > 0));
    const { pool } = here.running.database;
    const { rows } = await pool.query(
      `SELECT count(*)::int AS answered, count(DISTINCT (conversation_id, content))::int AS texts
       FROM messages WHERE role = 'user' AND reply_state = 'answered'
         AND (SELECT count(*) FROM messages AS reply WHERE reply.in_reply_to = messages.id) = 1`,
    );
    assert.deepEqual(rows, [{ answered: exchanges.length, texts: exchanges.length }]);
    const { rows: money } = await pool.query('SELECT balance::float FROM users WHERE id = $1', [userId]);
    assert.deepEqual(money, [{ balance: 100 - exchanges.length / 100 }]);
    assert.equal((await process.get('/healthz')).status, 200);
  },
);
