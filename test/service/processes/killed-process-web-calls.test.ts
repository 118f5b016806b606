import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryVoice } from '../../support/calls/memory-voice.ts';
import { readStereoWav } from '../../support/calls/stereo-wav.ts';
import { offer, said } from '../../support/calls/web-visitor.ts';
import { Owner } from '../../support/records/owner.ts';
import { eventually } from '../../support/eventually.ts';
import { startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import {
  atEnd,
  createAssistant,
  newDatabase,
  readMoney,
  startService,
  testDatabase,
} from '../../support/service/service.ts';
import { linesOf } from '../../support/service/service-client.ts';
import type { ServiceClient } from '../../support/service/service-client.ts';

const receiver = await startWebhookReceiver();
atEnd(() => receiver.server.close());
const voice = new MemoryVoice();

/** A service that has a recorded call with a visitor in a separate process, and the next process. */
async function callAtProcess() {
  const env = {
    ...(await newDatabase()),
    // Longer than a busy machine may stop a process that is alive.
    REPLY_LEASE_SECONDS: '5',
    JOB_POLL_SECONDS: '0.5',
    WORKERS: 'on',
    ALLOW_PRIVATE_ADDRESSES: receiver.server.address,
  };
  const startNext = () => startService(env, { voice });
  const setup = await startService({ ...env, WORKERS: 'off' });
  const owner = await Owner.create(setup, '1');
  const url = receiver.address();
  const { uuid } = await createAssistant(setup, {
    userId: owner.id,
    initialMessage: 'Welcome to the shop.',
    limits: {
      ...{ webCalls: true, record: true, maxSilenceDuration: 300, reengagementInterval: 300 },
      ...{ isWebhookActive: true, webhookUrl: url, sendWebhookOnlyOnCompleted: false },
    },
  });
  // An embedded database has one process.
  if (testDatabase === 'pglite') await setup.running.close();
  const killed = await startServiceProcess(env, 'test/support/calls/web-call-process.ts');
  const { json } = await killed.post('/api/conversations', { assistant_id: uuid });
  const path = `/api/conversations/${String(json['conversation_id'])}`;
  const started = await killed.post(`${path}/voice`, { sdp: offer });
  assert.equal(started.status, 201);
  const read = (at: ServiceClient) => readCall(owner, at);
  await eventually('the greeting', async () =>
    String((await read(killed))['transcript']).includes('Welcome') ? true : undefined,
  );
  assert.equal((await killed.post('/visitor/hum', {})).status, 200);
  assert.equal((await read(killed))['total_cost'], 0.05);
  const kill = async () => {
    killed.signal('SIGKILL');
    await killed.child.ended;
  };
  return { owner, url, path, read, kill, startNext, token: started.json['call'] };
}

/** The first call of an owner. */
async function readCall(owner: Owner, at: ServiceClient): Promise<Record<string, unknown>> {
  const { json } = await at.get('/api/user/calls', { Authorization: `Bearer ${owner.key}` });
  return (json['data'] as Record<string, unknown>[]).at(-1) ?? {};
}

test('a web call whose process is killed fails once and costs nothing, and the visitor can continue', async () => {
  const { owner, url, path, read, kill, startNext } = await callAtProcess();
  await kill();
  const next = await startNext();
  const call = await eventually('the end', async () => {
    const found = await read(next);
    return found['status'] === 'in-progress' ? undefined : found;
  });
  assert.deepEqual(
    [call['status'], call['end_reason'], call['total_cost']],
    ['failed', 'service-stopped', 0],
  );
  assert.deepEqual(await readMoney(next, owner.id), { balance: 1, ledger: 1 });
  // The first two parts of the recording were stored.
  const recording = await fetch(String(call['recording_url']));
  const { left, rate } = readStereoWav(Buffer.from(await recording.arrayBuffer()));
  assert.equal(left.length / rate, 10);
  assert(left.some((sample) => sample !== 0));

  const written = await next.post(`${path}/messages`, { message: 'Are you still there?' });
  assert.equal(written.status, 200);
  assert.equal((await next.post(`${path}/voice`, { sdp: offer })).status, 201);
  voice.browser.say('What are your opening hours?');
  await said(voice.browser, 1);
  assert.equal((await next.request('DELETE', `${path}/voice`)).status, 200);
  const roles = linesOf((await next.get(path)).json['history']).map((line) => line.split(':')[0]);
  // The ends of the calls are entries with the role `system`.
  assert.deepEqual(roles, ['assistant', 'system', 'user', 'assistant', 'user', 'assistant', 'system']);
  // A message and a minute.
  assert.deepEqual(await readMoney(next, owner.id), { balance: 0.94, ledger: 0.94 });

  const deliveries = await eventually('both webhooks', async () => {
    const { json } = await owner.at(next).get('webhook-deliveries?status=delivered');
    const found = json['data'] as { call_id: number }[];
    return found.length >= 2 ? found : undefined;
  });
  assert.equal(new Set(deliveries.map(({ call_id }) => call_id)).size, 2);
  const statuses = receiver.requests(url).map(({ body }) => (JSON.parse(body) as { status: string }).status);
  assert.deepEqual(statuses, ['failed', 'completed']);
});

test(
  'a web call whose process is killed continues at another one if the visitor connects again',
  { skip: testDatabase === 'pglite' && 'an embedded database has one process' },
  async () => {
    const { owner, url, path, read, kill, startNext, token } = await callAtProcess();
    const next = await startNext();
    await kill();
    const again = await next.post(`${path}/voice`, { sdp: offer, call: token });
    assert.equal(again.status, 201);
    await said(voice.browser, 1);
    assert.equal((await next.request('DELETE', `${path}/voice`)).status, 200);
    const call = await read(next);
    assert.deepEqual([call['end_reason'], call['total_cost']], ['hung-up', 0.05]);
    assert.deepEqual(await readMoney(next, owner.id), { balance: 0.95, ledger: 0.95 });
    const recording = await fetch(String(call['recording_url']));
    const { left, right, rate } = readStereoWav(Buffer.from(await recording.arrayBuffer()));
    assert(left.subarray(0, 10 * rate).some((sample) => sample !== 0));
    assert(right.subarray(10 * rate).some((sample) => sample !== 0));
    const [request] = await receiver.received(url, 1);
    assert.match(request?.body ?? '', /"status":"ended_by_customer"/);
  },
);
