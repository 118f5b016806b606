import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { readConfig } from '../../src/service/config.ts';
import { openDatabase } from '../../src/service/open-database.ts';
import { installJobs } from '../../src/service/jobs/boss.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { queues } from '../../src/service/jobs/queues.ts';
import type { QueueName } from '../../src/service/jobs/queues.ts';
import { startWork as startWorkers } from '../../src/service/jobs/work.ts';
import type { Worker } from '../../src/service/jobs/work.ts';
import { createLog } from '../../src/service/log.ts';
import { atEnd, newDatabase, testDatabase } from '../support/service/service.ts';
import { eventually } from '../support/eventually.ts';
import { until } from '../support/until.ts';

const log = createLog('silent');
const settings = await newDatabase();
const database = await openDatabase(readConfig({ ...settings, DATABASE_POOL_SIZE: '4' }), log);
atEnd(() => database.close());
const { db, pool } = database;
/** Has one connection, so that fetches are never simultaneous and limits per owner are exact. */
const oneConnection =
  testDatabase === 'pglite'
    ? database
    : await openDatabase(readConfig({ ...settings, DATABASE_POOL_SIZE: '1' }), log);
if (oneConnection !== database) atEnd(() => oneConnection.close());
const jobs = new StoredJobs(database);

const outsideTransaction = AsyncLocalStorage.snapshot();

type Handle = (id: number, signal: AbortSignal) => Promise<void> | void;
let handle: Handle = () => undefined;
const worker: Worker = {
  queue: 'process-document',
  async handle({ documentId }, signal) {
    await handle(documentId, signal);
  },
};
const startWork = (from: StoredJobs, { pollMs = 60_000, concurrency = 2 } = {}) =>
  startWorkers(database, from, [{ ...worker, concurrency }], pollMs, log);
const send = (documentId: number, options = {}) => jobs.send('process-document', { documentId }, options);

const states = async (): Promise<string[]> => {
  const { rows } = await pool.query<{ state: string }>(
    "SELECT state::text FROM jobs.job WHERE name = 'process-document' ORDER BY created_on",
  );
  return rows.map(({ state }) => state);
};

/** Waits until no job is active; returns the states of all jobs. */
async function settled(): Promise<string[]> {
  for (;;) {
    const all = await states();
    if (!all.includes('active')) return all;
    await turn();
  }
}

/** Runs a test with an empty queue; starts workers unless the test does. */
function jobTest(name: string, run: () => Promise<void>, options: { workers?: boolean } = {}): void {
  test(name, async () => {
    handle = () => undefined;
    await pool.query(
      'DELETE FROM jobs.job; UPDATE jobs.queue SET monitor_claim_on = NULL, monitor_on = NULL',
    );
    const work = options.workers === false ? undefined : await startWork(jobs);
    try {
      await run();
    } finally {
      await work?.(1000);
    }
  });
}

/** Resolves with the ids of the completed jobs after `count` jobs. */
function completed(count: number): Promise<number[]> {
  const ids: number[] = [];
  const reached = Promise.withResolvers<number[]>();
  handle = (id) => {
    ids.push(id);
    if (ids.length === count) reached.resolve(ids);
  };
  return reached.promise;
}

/** Has the job with id 1 run until `first` is resolved; other jobs only record that they have started. */
function holdFirst() {
  const first = Promise.withResolvers<undefined>();
  const aborted = Promise.withResolvers<undefined>();
  const started: number[] = [];
  handle = (id, signal) => {
    started.push(id);
    if (id !== 1) return undefined;
    signal.addEventListener('abort', () => {
      aborted.resolve(undefined);
    });
    return first.promise;
  };
  return { first, started, aborted: aborted.promise };
}

jobTest('runs a job once, as soon as it is sent', async () => {
  const both = completed(2);
  await send(1);
  await send(2);
  assert.deepEqual((await both).sort(), [1, 2]);
  assert.deepEqual(await settled(), ['completed', 'completed']);
});

jobTest('runs many jobs without pauses', async () => {
  const all = completed(20);
  await Promise.all(Array.from({ length: 20 }, (_, id) => send(id)));
  assert.equal(new Set(await all).size, 20);
});

jobTest('lets requests in between the jobs of a series, each of which sends the next one', async () => {
  const length = 20;
  const last = Promise.withResolvers<undefined>();
  let latest = 0;
  let latestAtRequest = 0;
  handle = async (id) => {
    latest = id;
    if (id === 1) {
      void turn().then(() => {
        latestAtRequest = latest;
      });
    }
    if (id < length) await send(id + 1);
    else last.resolve(undefined);
  };
  await send(1);
  await last.promise;
  await turn();
  assert.ok(latestAtRequest < length / 2, `the request came in during job ${latestAtRequest}`);
});

jobTest('runs a job sent in a transaction after the commit, and never after a rollback', async () => {
  const one = completed(1);
  // A new instance, which has not loaded the queues yet.
  const fresh = new StoredJobs(database);
  const failing = db.transaction(async (tx) => {
    await fresh.send('process-document', { documentId: 1 }, { tx });
    throw new Error('no');
  });
  await assert.rejects(failing, /no/);
  assert.deepEqual(await states(), []);
  await db.transaction(async (tx) => {
    await send(2, { tx });
    await tx.execute('SELECT 1');
  });
  assert.deepEqual(await one, [2]);
});

jobTest('starts a delayed job at its time', async () => {
  const one = completed(1);
  const sentAt = performance.now();
  await send(1, { startAfter: 300 });
  await one;
  assert.ok(performance.now() - sentAt > 280);
});

jobTest(
  'brings a waiting job forward for a delayed one that is due earlier, and keeps the latest data',
  async () => {
    const hours = [3, 1, 2];
    for (const [attempt, hour] of hours.entries())
      await jobs.send('webhook-delivery', { deliveryId: 1, attempt }, { startAfter: hour * 3_600_000 });
    const { rows } = await pool.query(
      `SELECT data ->> 'attempt' AS attempt, round(extract(epoch FROM start_after - now()) / 3600)::integer AS hours
     FROM jobs.job WHERE name = 'webhook-delivery'`,
    );
    assert.deepEqual(rows, [{ attempt: '2', hours: 1 }]);
  },
);

jobTest(
  'keeps at most one waiting job per record, and brings it forward for an immediate one',
  async () => {
    await send(1, { startAfter: new Date(Date.now() + 3_600_000) });
    await send(1, { startAfter: 7_200_000 });
    await send(2, { startAfter: 7_200_000 });
    assert.equal((await states()).length, 2);
    const one = completed(1);
    const work = await startWork(jobs);
    await send(1);
    assert.deepEqual(await one, [1]);
    await work(1000);
    // A job that was being fetched is requeued as another one.
    const kept = (await states()).filter((state) => state !== 'cancelled');
    assert.deepEqual(kept.sort(), ['completed', 'created']);
  },
  { workers: false },
);

jobTest(
  'loses no job if another process inserts and fetches one for the same record at the same time',
  async () => {
    for (const startAfter of [0, 60_000]) {
      await pool.query('DELETE FROM jobs.job');
      const late = new StoredJobs(database);
      const store = late.boss.send.bind(late.boss) as (...args: unknown[]) => Promise<string | null>;
      let isFirst = true;
      Object.assign(late.boss, {
        async send(...args: unknown[]) {
          // On an embedded database, nothing else can run during a transaction.
          if (isFirst && testDatabase === 'postgres') {
            isFirst = false;
            await outsideTransaction(async () => {
              await send(1);
              await jobs.boss.fetch('process-document');
            });
          }
          return store(...args);
        },
      });
      await late.send('process-document', { documentId: 1 }, { startAfter });
      assert.deepEqual(
        (await states()).sort(),
        testDatabase === 'postgres' ? ['active', 'created'] : ['created'],
      );
    }
  },
  { workers: false },
);

jobTest(
  'stores one of several jobs that are sent for a record simultaneously',
  async () => {
    const senders = Array.from({ length: 12 }, () => new StoredJobs(database));
    await Promise.all(
      senders.map((sender, index) =>
        sender.send('process-document', { documentId: 1 }, { startAfter: index % 2 ? 0 : 60_000 }),
      ),
    );
    assert.deepEqual(await states(), ['created']);
    const { rows } = await pool.query('SELECT start_after <= now() AS now FROM jobs.job');
    assert.deepEqual(rows, [{ now: true }]);
  },
  { workers: false },
);

jobTest(
  'does not start a waiting job before a transaction that sent it again is committed',
  async () => {
    await send(1);
    await db.transaction(async (tx) => {
      await send(1, { tx, startAfter: 60_000 });
      // On an embedded database, fetching jobs would wait for the transaction.
      if (testDatabase === 'postgres') assert.deepEqual(await jobs.boss.fetch('process-document'), []);
    });
    assert.equal((await jobs.boss.fetch('process-document')).length, 1);
  },
  { workers: false },
);

jobTest(
  'keeps a job that waits for a year',
  async () => {
    await send(1, { startAfter: 3_600_000 });
    await pool.query(
      `UPDATE jobs.job SET created_on = created_on - interval '1 year',
       start_after = start_after - interval '1 year', keep_until = keep_until - interval '1 year'`,
    );
    await pool.query('UPDATE jobs.queue SET maintain_on = NULL');
    await jobs.boss.supervise();
    assert.deepEqual(await states(), ['created']);
  },
  { workers: false },
);

jobTest(
  'deletes a job minutes after it has finished, since sending a job scans all of them',
  async () => {
    for (const id of [1, 2, 3]) await send(id);
    await pool.query(
      `UPDATE jobs.job SET state = 'completed',
       completed_on = now() - CASE data ->> 'documentId' WHEN '3' THEN interval '1 min' ELSE interval '11 min' END`,
    );
    await pool.query("UPDATE jobs.queue SET maintain_on = now() - interval '2 min'");
    const work = await startWork(jobs);
    await eventually('two of three jobs to be deleted', async () => (await states()).length === 1);
    await work(1000);
  },
  { workers: false },
);

jobTest('retries a failed job with delays, up to a limit', async () => {
  let tries = 0;
  handle = () => {
    tries++;
    throw new Error('broken');
  };
  await send(1);
  for (const round of [1, 2]) {
    await until(() => tries === round);
    await settled();
    if (round === 2) break;
    const { rows } = await pool.query<{ wait: number }>(
      'SELECT extract(epoch FROM start_after - now())::float AS wait FROM jobs.job',
    );
    assert.ok((rows[0]?.wait ?? 0) > round * 4, `waits ${rows[0]?.wait} s after try ${round}`);
    await pool.query('UPDATE jobs.job SET start_after = now()');
    jobs.onDelayed?.('process-document', 1);
  }
  assert.deepEqual(await states(), ['failed']);
});

jobTest(
  'keeps trying to delete personal data at the carrier, and to release a number that costs money there',
  async () => {
    const fail = () => Promise.reject(new Error('unreachable'));
    const phoneNumber = '+4930123456';
    await jobs.send('delete-recording', { recordingId: 'RE1' });
    await jobs.send('remove-caller-id', { phoneNumber });
    await jobs.send('release-number', { phoneNumber });
    await pool.query('UPDATE jobs.job SET retry_count = 1000');
    const workers: Worker[] = [
      { queue: 'delete-recording', handle: fail },
      { queue: 'remove-caller-id', handle: fail },
      { queue: 'release-number', handle: fail },
    ];
    const stop = await startWorkers(database, jobs, workers, 60_000, log);
    const isTried = async () => {
      const { rows } = await pool.query<{ state: string }>('SELECT state::text FROM jobs.job');
      const found = rows.map(({ state }) => state);
      return found.some((state) => state === 'created' || state === 'active') ? undefined : found;
    };
    assert.deepEqual(await eventually('all jobs to fail once', isTried), ['retry', 'retry', 'retry']);
    await stop(1000);
  },
  { workers: false },
);

test('retries the jobs of ends and webhooks for a week before it gives up', () => {
  for (const name of ['conversation-ended', 'call-ended', 'webhook-delivery'] as const) {
    const { retryLimit, retryDelay, retryDelayMax } = queues[name].rules;
    let seconds = 0;
    for (let retry = 0; retry < retryLimit; retry++)
      seconds += Math.min(retryDelay * 2 ** retry, retryDelayMax);
    assert.ok(seconds > 7 * 86_400, name);
  }
});

jobTest(
  'retries a failed job as soon as its delay is over, without waiting for the next poll',
  async () => {
    await send(1);
    await pool.query('UPDATE jobs.job SET retry_delay = 1, retry_limit = 2');
    let tries = 0;
    handle = () => {
      tries++;
      if (tries < 3) throw new Error('broken');
    };
    const work = await startWork(jobs);
    await until(() => tries === 3);
    await work(1000);
  },
  { workers: false },
);

jobTest(
  'runs the job of a dead process in another one',
  async () => {
    await send(1);
    assert.equal((await new StoredJobs(database).boss.fetch('process-document')).length, 1);
    // Half a minute without a heartbeat.
    await pool.query(
      "UPDATE jobs.job SET heartbeat_on = now() - interval '31 s', retry_delay = 0, retry_delay_max = 1",
    );
    const one = completed(1);
    const work = await startWork(jobs, { pollMs: 500 });
    assert.deepEqual(await one, [1]);
    await work(1000);
  },
  { workers: false },
);

jobTest(
  'waits for the running job at a stop and starts no other',
  async () => {
    const gate = Promise.withResolvers<undefined>();
    const started = Promise.withResolvers<undefined>();
    handle = async () => {
      started.resolve(undefined);
      await gate.promise;
    };
    // An idle worker could be fetching when the stop begins, and would find the second job.
    const work = await startWork(jobs, { concurrency: 1 });
    await send(1);
    await started.promise;
    const stopped = work(60_000);
    await send(2);
    gate.resolve(undefined);
    await stopped;
    assert.deepEqual((await states()).sort(), ['completed', 'created']);
  },
  { workers: false },
);

jobTest(
  'aborts a job that exceeds the time of a stop, and runs it in the next process',
  async () => {
    const started = Promise.withResolvers<undefined>();
    const cut = Promise.withResolvers<undefined>();
    handle = (_, signal) => {
      started.resolve(undefined);
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          cut.resolve(undefined);
          reject(new Error('aborted'));
        });
      });
    };
    // An idle worker could be fetching when the stop begins, and would find the job that is queued again.
    const work = await startWork(jobs, { concurrency: 1 });
    await send(1);
    await started.promise;
    await work(0);
    await cut.promise;
    assert.deepEqual((await states()).sort(), ['cancelled', 'created']);
    const one = completed(1);
    const next = await startWork(jobs);
    assert.deepEqual(await one, [1]);
    await next(1000);
  },
  { workers: false },
);

jobTest(
  'gives a record that is sent again without a delay all its tries, and keeps the pauses of others',
  async () => {
    const [queue, data] = ['conversation-ended', { conversationId: 1 }] as const;
    const waiting = async () => {
      const { rows } = await pool.query<object>(
        `SELECT state::text, retry_count AS tries, extract(epoch FROM start_after - now())::integer < 60 AS soon
         FROM jobs.job WHERE state < 'active'`,
      );
      return rows;
    };
    const failTwice = async () => {
      for (let failed = 0; failed < 2; failed++) {
        await pool.query('UPDATE jobs.job SET start_after = now()');
        const [job] = await jobs.boss.fetch(queue);
        await jobs.boss.fail(queue, job?.id ?? '');
      }
      assert.deepEqual(await waiting(), [{ state: 'retry', tries: 1, soon: true }]);
    };
    await jobs.send(queue, data);
    await failTwice();
    await jobs.send(queue, data, { startAfter: 3_600_000 });
    assert.deepEqual(await waiting(), [{ state: 'retry', tries: 1, soon: true }]);

    await pool.query("UPDATE jobs.job SET start_after = now() + interval '1 hour'");
    await jobs.send(queue, data);
    assert.deepEqual(await waiting(), [{ state: 'created', tries: 0, soon: true }]);
    const [job] = await jobs.boss.fetch(queue, { includeMetadata: true });
    assert.equal(job?.retryCount, 0);
  },
  { workers: false },
);

jobTest(
  'does the work of an interrupted job at once, and keeps a later step of its record',
  async () => {
    const due = async () => {
      const { rows } = await pool.query<{ attempt: number | null; isDue: boolean }>(
        `SELECT (data ->> 'attempt')::integer AS attempt, start_after <= now() AS "isDue"
         FROM jobs.job WHERE state = 'created'`,
      );
      return rows;
    };
    const [queue, delivery] = ['webhook-delivery', { deliveryId: 1, userId: 1 }] as const;
    const interrupt = async (name: QueueName, sendNext: () => Promise<void>) => {
      const [job] = await jobs.boss.fetch<object>(name, { includeMetadata: true });
      assert.ok(job);
      await sendNext();
      await jobs.requeue(name, job);
    };
    await jobs.send(queue, { ...delivery, attempt: 0 });
    await interrupt(queue, () => Promise.resolve());
    assert.deepEqual(await due(), [{ attempt: 0, isDue: true }]);
    await interrupt(queue, () => jobs.send(queue, { ...delivery, attempt: 1 }, { startAfter: 60_000 }));
    assert.deepEqual(await due(), [{ attempt: 1, isDue: false }]);

    await pool.query('DELETE FROM jobs.job');
    const tick = { campaignId: 1 };
    await jobs.send('campaign-tick', tick);
    await interrupt('campaign-tick', () => jobs.send('campaign-tick', tick, { startAfter: 60_000 }));
    assert.deepEqual(await due(), [{ attempt: null, isDue: true }]);
  },
  { workers: false },
);

jobTest(
  'is notified of jobs that another process sends',
  async () => {
    const [receiver, sender] = [new StoredJobs(database), new StoredJobs(database)];
    const one = completed(1);
    const work = await startWork(receiver);
    await sender.send('process-document', { documentId: 7 });
    assert.deepEqual(await one, [7]);
    await work(1000);
  },
  { workers: false },
);

jobTest(
  'polls for jobs that nothing announced, also while another job of the queue runs',
  async () => {
    const work = await startWork(jobs, { pollMs: 100 });
    const { first, started } = holdFirst();
    await send(1);
    await until(() => started.includes(1));
    // Delayed jobs of other processes are not announced.
    await new StoredJobs(database).send('process-document', { documentId: 2 }, { startAfter: 50 });
    await until(() => started.includes(2));
    first.resolve(undefined);
    await work(1000);
  },
  { workers: false },
);

jobTest(
  'finds jobs while no handler of the queue has settled within its time',
  async () => {
    const single: Worker = { ...worker, concurrency: 1 };
    const { first, started, aborted } = holdFirst();
    await send(1);
    await pool.query('UPDATE jobs.job SET expire_seconds = 1, retry_limit = 0');
    const work = await startWorkers(database, jobs, [single], 100, log);
    await aborted;
    await new StoredJobs(database).send('process-document', { documentId: 2 }, { startAfter: 50 });
    await until(() => started.includes(2));
    first.resolve(undefined);
    await work(1000);
  },
  { workers: false },
);

jobTest(
  'runs at most as many jobs of an owner as the worker allows, and those of other owners meanwhile',
  async () => {
    const fair: Worker = { ...worker, concurrency: 4, concurrencyPerOwner: 2 };
    const gates = new Map<number, PromiseWithResolvers<undefined>>();
    handle = (id) => {
      const gate = Promise.withResolvers<undefined>();
      gates.set(id, gate);
      return gate.promise;
    };
    const sendFor = (userId: number, documentId: number) =>
      jobs.send('process-document', { documentId, userId });
    for (let id = 1; id <= 10; id++) await sendFor(1, id);
    const work = await startWorkers(oneConnection, jobs, [fair], 60_000, log);
    await until(() => gates.size >= 2);
    await sendFor(2, 20);
    await until(() => gates.has(20));
    assert.equal(gates.size, 3, 'two jobs of the first owner, and one of the other');
    for (let done = 0; done < 10;) {
      for (const [id, gate] of gates) {
        if (id === 20) continue;
        gates.delete(id);
        gate.resolve(undefined);
        done++;
      }
      if (done < 10) await until(() => gates.size > 1);
    }
    gates.get(20)?.resolve(undefined);
    assert.deepEqual(new Set(await settled()), new Set(['completed']));
    await work(1000);
  },
  { workers: false },
);

jobTest(
  'runs each job of an owner once, also if several workers take jobs at the same moment',
  async () => {
    const count = 60;
    let [active, most, ran] = [0, 0, 0];
    handle = async () => {
      most = Math.max(most, ++active);
      await pool.query('SELECT 1');
      active--;
      ran++;
    };
    for (let documentId = 1; documentId <= count; documentId++)
      await jobs.send('process-document', { documentId, userId: 1 });
    const ofOwner: Worker = { ...worker, concurrency: 4, concurrencyPerOwner: 1 };
    const work = await startWorkers(database, jobs, [ofOwner], 60_000, log);
    await until(() => ran >= count);
    await work(1000);
    assert.equal(ran, count);
    // On a server, fetches at the same moment do not see each other's jobs.
    if (testDatabase === 'pglite') assert.equal(most, 1);
    assert.deepEqual(new Set(await states()), new Set(['completed']));
  },
  { workers: false },
);

jobTest(
  'runs the jobs of other owners while two have backlogs, however many processes there are',
  async () => {
    const backlog = 100;
    const last = 2 * backlog + 1;
    let ran = 0;
    let ranBefore: number | undefined;
    handle = async (id) => {
      if (id === last) ranBefore = ran;
      await pool.query('SELECT 1');
      ran++;
    };
    for (let documentId = 1; documentId < last; documentId++)
      await jobs.send('process-document', { documentId, userId: 1 + (documentId % 2) });
    await jobs.send('process-document', { documentId: last, userId: 3 });
    const fair: Worker = { ...worker, concurrency: 2, concurrencyPerOwner: 1 };
    const start = () => startWorkers(database, new StoredJobs(database), [fair], 60_000, log);
    const stops = [await start(), await start(), await start()];
    await until(() => ranBefore !== undefined);
    assert.ok((ranBefore ?? 0) < backlog, `the third owner waited for ${ranBefore} jobs`);
    await until(() => ran === last);
    await Promise.all(stops.map((stop) => stop(1000)));
  },
  { workers: false },
);

test('a start restores the rules of a queue that an earlier version has set, and leaves the others alone', async () => {
  const rules = async () => {
    const { rows } = await pool.query<{ name: string; retry_limit: number; updated: string }>(
      "SELECT name, retry_limit, updated_on::text AS updated FROM jobs.queue WHERE name IN ('hang-up', 'hourly-maintenance')",
    );
    return new Map(rows.map(({ name, ...rest }) => [name, rest]));
  };
  const before = await rules();
  await pool.query("UPDATE jobs.queue SET retry_limit = 1 WHERE name = 'hang-up'");
  await installJobs(pool);
  const after = await rules();
  assert.equal(after.get('hang-up')?.retry_limit, before.get('hang-up')?.retry_limit);
  assert.deepEqual(after.get('hourly-maintenance'), before.get('hourly-maintenance'));
});
