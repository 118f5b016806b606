import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster } from './cluster.ts';
import { checkInvariants, settle } from './invariants.ts';
import { Load } from './load.ts';
import type { Accepted } from './load.ts';
import { Random, seed } from './random.ts';

console.log(`FAULTS_SEED=${seed}`);
const random = new Random(seed);
const cluster = await startCluster(tmpdir());
const accepted: Accepted = { chats: [], calls: new Map(), leads: [], documents: [], interruptions: 0 };

/** Returns a process; each fault uses another one. */
function randomNode() {
  const node = cluster.nodes[random.integer(0, cluster.nodes.length - 1)];
  return node ?? assert.fail('There is no such process.');
}

/** Runs faults under load. Checks the invariants when the work that was accepted until then is complete. */
function phase(title: string, runFaults: (load: Load) => Promise<void>): void {
  test(`three processes lose and repeat nothing under ${title}`, async (t) => {
    const load = new Load(cluster, accepted);
    try {
      await load.answered(12);
      await runFaults(load);
      await load.answered(12);
    } finally {
      await load.stop();
    }
    await settle(cluster);
    const { violations, ...figures } = await checkInvariants(cluster, accepted);
    t.diagnostic(JSON.stringify({ ...figures, interruptions: accepted.interruptions }));
    assert.deepEqual(violations, {});
  });
}

phase('kills', async (load) => {
  for (let kill = 0; kill < 6; kill++) {
    const node = randomNode();
    await delay(random.integer(0, 1000));
    await node.kill();
    await load.answered(3);
    await node.start();
  }
});
