import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistantBody } from '../../support/records/assistant-body.ts';
import { Owner } from '../../support/records/owner.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import { newDatabase, readMoney, startService, testDatabase } from '../../support/service/service.ts';
import { callTo, waitForCall } from '../../support/records/simulated-numbers.ts';
import { eventually } from '../../support/eventually.ts';

if (testDatabase === 'pglite') {
  test('fails and refunds the call of a killed process when the next process starts', async () => {
    const env = { ...(await newDatabase()), CARRIER_SECONDS: '1' };
    const setup = await startService(env);
    const owner = await Owner.create(setup, '1');
    const assistant = await owner.create('assistant', assistantBody());
    await setup.running.close();

    const killed = await startServiceProcess(env);
    const headers = { Authorization: `Bearer ${owner.key}` };
    const body = { phone_number: callTo.person, assistant_id: assistant.id };
    const { json } = await killed.post('/api/user/make_call', body, headers);
    const id = Number(json['call_id']);
    await eventually('a charged minute', async () => {
      const call = await killed.get(`/api/user/calls/${id}`, headers);
      return Number(call.json['total_cost']) > 0 ? true : undefined;
    });
    killed.signal('SIGKILL');
    await killed.child.ended;

    const next = await startService(env);
    const call = await waitForCall(owner.at(next), id);
    assert.deepEqual([call['status'], call['total_cost']], ['failed', 0]);
    assert.deepEqual(await readMoney(next, owner.id), { balance: 1, ledger: 1 });
  });
} else {
  const env = {
    ...(await newDatabase()),
    CARRIER_SECONDS: '0.02',
    // Longer than a busy machine may stop a process that is alive.
    REPLY_LEASE_SECONDS: '5',
    JOB_POLL_SECONDS: '0.5',
  };
  // This service only answers requests; the processes make the calls.
  const api = await startService(env);
  const { pool } = api.running.database;

  /** Reads the calls of an owner, oldest first, except those that were not started because of a stop. */
  async function readCalls(owner: Owner) {
    const { rows } = await pool.query<{
      id: number;
      lead: number;
      status: string;
      reason: string;
      cost: string;
      ended: number;
    }>(
      `SELECT id, lead_id AS lead, status, end_reason AS reason, total_cost AS cost,
         (SELECT count(*)::int FROM jobs.job WHERE name = 'call-ended' AND (data->>'callId')::int = calls.id) AS ended
       FROM calls WHERE user_id = $1 AND end_reason IS DISTINCT FROM 'not-started' ORDER BY id`,
      [owner.id],
    );
    return rows;
  }

  const isOpen = ({ status }: { status: string }) => ['initiated', 'ringing', 'in-progress'].includes(status);

  test('continues a campaign after a process was killed, without losing, repeating or double-charging a call', async () => {
    const owner = await Owner.create(api, '10');
    // A call takes half a minute, so that all are in progress when the process is killed.
    const killed = await startServiceProcess({ ...env, CARRIER_SECONDS: '1' });
    const assistant = await owner.create('assistant', assistantBody());
    const campaign = await owner.create('campaigns', {
      name: 'Spring',
      assistant_id: assistant.id,
      max_calls_in_parallel: 10,
    });
    for (let lead = 0; lead < 24; lead++) {
      const phone_number = `+4989${String(lead + 10)}1000000`;
      await owner.create('lead', { phone_number, campaign_id: campaign.id });
    }
    const change = (action: string) =>
      owner.post('campaigns/update-status', { campaign_id: campaign.id, action });
    await change('start');
    await eventually('ten calls', async () => {
      const inProgress = (await readCalls(owner)).filter(({ status }) => status === 'in-progress');
      return inProgress.length === 10 ? true : undefined;
    });
    const survivor = await startServiceProcess(env);
    killed.signal('SIGKILL');
    await change('stop');
    await change('start');
    await change('stop');
    await change('start');
    const calls = await eventually(
      'every lead to be called',
      async () => {
        const found = await readCalls(owner);
        return found.length >= 24 && !found.some(isOpen) ? found : undefined;
      },
      60_000,
    );
    assert.equal(calls.length, 24);
    assert.equal(new Set(calls.map(({ lead }) => lead)).size, 24);
    const interrupted = calls.filter(({ reason }) => reason === 'service-stopped');
    assert.equal(interrupted.length, 10);
    for (const call of calls) {
      const expected = interrupted.includes(call) ? ['failed', 0, 1] : ['completed', 0.1, 1];
      assert.deepEqual([call.status, Number(call.cost), call.ended], expected, `call ${call.id}`);
    }
    const money = await readMoney(api, owner.id);
    assert.ok(Math.abs(money.balance - (10 - 0.1 * (24 - interrupted.length))) < 1e-9);
    assert.equal(money.ledger, money.balance);
    await eventually('the last lead to be updated', async () => {
      const { json } = await owner.get('leads?status=processing');
      return json['total'] === 0 ? true : undefined;
    });
    const retries = await owner.get('leads?status=rescheduled');
    assert.equal(retries.json['total'], interrupted.length);
    await survivor.stop();
  });
}
