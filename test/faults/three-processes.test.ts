import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { mountSmallDisk } from '../support/process/small-disk.ts';
import { eventually } from '../support/eventually.ts';
import { atEnd } from '../support/service/service.ts';
import { startCluster } from './cluster.ts';
import { reportFigures } from './figures.ts';
import { checkInvariants, expireJobs, settle } from './invariants.ts';
import type { Findings } from './invariants.ts';
import { Load } from './load.ts';
import type { Accepted } from './load.ts';
import { Random, seed } from '../support/random.ts';

console.log(`FAULTS_SEED=${seed}`);
const random = new Random(seed);
const disk = await mountSmallDisk(500);
if (disk) atEnd(() => disk.unmount());
const cluster = await startCluster(disk?.folder ?? tmpdir());
const { nodes, pool, postgres } = cluster;
const accepted: Accepted = {
  ...{ chats: [], watched: new Map(), deleted: { sent: 0, answered: 0 } },
  ...{ calls: new Map(), leads: [], documents: [], interruptions: 0 },
};

const faults = {
  kills: 0,
  freezes: 0,
  'restarts of the database': 0,
  'full disks': 0,
  'black-holed connections': 0,
  'exhausted pools': 0,
  'skewed clocks': 0,
};
let findings: Findings | undefined;

/** Returns the processes in a random order. */
function shuffledNodes() {
  return nodes
    .map((node) => ({ node, position: random.next() }))
    .sort((a, b) => a.position - b.position)
    .map(({ node }) => node);
}
const randomNode = () => shuffledNodes()[0] ?? assert.fail('There is no process.');

/** Waits a random time, so that faults hit different steps of the work. */
const pause = (min: number, max: number) => delay(random.integer(min, max));

interface Phase {
  title: string;
  skip?: string | false;
  /** Whether the database is not available at times. Otherwise, no request and no work fails. */
  hasOutage?: boolean;
  run: (load: Load) => Promise<void>;
}

let failedPhase: string | undefined;

/** Runs faults under load. Checks the invariants when all work that was accepted until then is complete. */
function phase({ title, skip = false, hasOutage = false, run }: Phase): void {
  test(`three processes lose and repeat nothing ${title}`, { skip }, async (t) => {
    if (failedPhase !== undefined) {
      t.skip(`the state is undefined after the failure ${failedPhase}`);
      return;
    }
    failedPhase = title;
    const started = performance.now();
    const load = new Load(cluster, accepted, random.fork());
    const failedBefore = cluster.balancer.failed.length;
    try {
      await load.answered(12);
      await run(load);
      await load.answered(12);
      const stopped = performance.now();
      await load.stop();
      await settle(cluster);
      findings = await checkInvariants(cluster, accepted);
      assert.deepEqual(findings.violations, {});
      const logged = nodes.flatMap((node) => node.readFailures());
      const failed = cluster.balancer.failed.slice(failedBefore);
      const unexpected = logged.filter((message) => !hasOutage || message.includes('deadlock'));
      assert.deepEqual([unexpected, hasOutage ? [] : failed], [[], []]);
      failedPhase = undefined;
      const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(0);
      t.diagnostic(`${seconds(started)} s, of which ${seconds(stopped)} s until all work was complete`);
    } finally {
      if (failedPhase !== undefined) load.abandon();
    }
  });
}

phase({
  title: 'when processes are killed and restarted',
  async run(load) {
    for (let kill = 0; kill < 6; kill++) {
      const node = randomNode();
      await pause(0, 800);
      await node.kill();
      faults.kills++;
      await load.answered(2);
      await node.start();
    }
  },
});

phase({
  title: 'when processes freeze for longer than their leases',
  async run(load) {
    for (let freeze = 0; freeze < 5; freeze++) {
      const node = randomNode();
      await pause(0, 500);
      node.freeze();
      faults.freezes++;
      await pause(3500, 5000);
      // The leases of replies and calls have expired by now; those of jobs take half a minute.
      await expireJobs(pool, 3);
      await pause(500, 1000);
      node.resume();
      await load.answered(6);
    }
  },
});

phase({
  title: 'when the database restarts without a shutdown',
  hasOutage: true,
  async run(load) {
    for (let restart = 0; restart < 6; restart++) {
      await pause(0, 1000);
      await postgres.restart();
      faults['restarts of the database']++;
      await load.answered(4);
    }
  },
});

phase({
  title: 'while the disk of the database is full',
  hasOutage: true,
  skip: disk === undefined && 'this process may not mount a file system',
  async run(load) {
    await pool.query('CREATE TABLE IF NOT EXISTS filler (text text)');
    const table = 'INSERT INTO filler SELECT md5(n::text) FROM generate_series(1, 20000) n';
    // Without space for it, the server ends.
    const log = "SELECT pg_logical_emit_message(true, 'filler', repeat('x', 1000000))";
    for (const write of [table, log]) {
      await disk?.fill(8);
      faults['full disks']++;
      const isFull = () =>
        pool.query(write).then(
          () => undefined,
          () => true,
        );
      await eventually('the disk to be full', isFull).finally(() => pause(2000, 4000));
      await disk?.free();
      // A server that could not recover has ended; a process manager starts it again.
      await postgres.restart();
      await load.answered(6);
    }
    await pool.query('DROP TABLE filler');
  },
});

phase({
  title: 'when connections to the database are black holes',
  hasOutage: true,
  async run(load) {
    const [first, second] = shuffledNodes();
    first?.proxy.fallSilent(true);
    second?.proxy.fallSilent(false);
    faults['black-holed connections'] += 2;
    await pause(4000, 6000);
    second?.proxy.recover();
    await load.answered(12);
  },
});

phase({
  title: 'when the connection pools are exhausted',
  hasOutage: true,
  async run(load) {
    // Each message waits with a connection, until the pools have no more.
    const client = await pool.connect();
    await client.query('BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
    await pause(11_000, 12_000);
    await client.query('COMMIT');
    client.release();
    faults['exhausted pools']++;
    await load.answered(6);

    // The server has no connection left for a process that starts.
    const node = randomNode();
    await node.kill();
    faults.kills++;
    const clients: pg.Client[] = [];
    await eventually('the server to refuse connections', async () => {
      const next = new pg.Client(postgres.url('postgres'));
      next.on('error', () => undefined);
      try {
        await next.connect();
        clients.push(next);
        return undefined;
      } catch {
        return true;
      }
    });
    faults['exhausted pools']++;
    const started = node.start();
    await pause(3000, 4000);
    await Promise.all(clients.map((each) => each.end()));
    await started;
  },
});

phase({
  title: 'when the clocks of two processes are an hour wrong, and change',
  async run(load) {
    const [slow, fast] = shuffledNodes();
    for (const minutes of [60, 0]) {
      for (const [node, clockMinutes] of [
        [slow, -minutes],
        [fast, minutes],
      ] as const) {
        await node?.kill();
        faults.kills++;
        await node?.start({ clockMinutes });
        if (minutes > 0) faults['skewed clocks']++;
        await load.answered(6);
      }
    }
  },
});

after(() => {
  if (!findings) return;
  const { violations, messages, lost, doubled, ledgerDifference, webhooks, calls, documents } = findings;
  reportFigures('Three processes on PostgreSQL', {
    ...Object.fromEntries(Object.entries(faults).map(([name, count]) => [`Faults: ${name}`, count])),
    'Failed attempts of requests': accepted.interruptions,
    'Accepted messages': messages,
    'Accepted messages lost': lost,
    'Messages doubled': doubled,
    'Sum of the differences of ledgers and balances, USD': ledgerDifference,
    'Webhooks received': webhooks,
    'Webhooks under two ids, or ids with two bodies':
      (violations['no webhook is sent under two ids'] ?? []).length +
      (violations['no id has two bodies'] ?? []).length,
    'Calls dialed': calls,
    'Numbers dialed twice': (violations['no number is dialed twice'] ?? []).length,
    Documents: documents,
    'Jobs, calls, leads or documents stuck': 0,
  });
});
