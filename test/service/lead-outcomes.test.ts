import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { eq } from 'drizzle-orm';
import { planConversation } from '../../src/service/call/start/plan-call.ts';
import { DatabaseCallStore } from '../../src/service/call/store/database-call-store.ts';
import { claimConnectedCall } from '../../src/service/call/connection/claim-connected-call.ts';
import { markDialed } from '../../src/service/call/start/mark-dialed.ts';
import { endCall } from '../../src/service/call/outcome/end-call.ts';
import { failAbandonedCalls } from '../../src/service/call/outcome/fail-abandoned-calls.ts';
import { applyEvaluation } from '../../src/service/campaign/apply-evaluation.ts';
import { calls } from '../../src/service/db/calls-table.ts';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { deletePerson } from '../../src/service/person/person.ts';
import { eventually } from '../support/eventually.ts';
import { CampaignRun } from '../support/records/campaign-run.ts';
import { readMoney, startService, testDatabase } from '../support/service/service.ts';

const service = await startService();
const { database } = service.running;
const start = (fields: Parameters<typeof CampaignRun.start>[1] = {}) => CampaignRun.start(service, fields);

describe('a lead', () => {
  for (const status of ['busy', 'no-answer', 'failed'] as const) {
    test(`is called again after retry_interval, up to max_retries times, if the call ends as ${status}`, async () => {
      const run = await start({ max_retries: 2, retry_interval: 30 });
      const lead = await run.add('+4989200100');
      await run.tick();
      for (let retry = 1; retry <= 2; retry++) {
        await run.end({ status });
        assert.deepEqual([await run.called(), (await run.lead(lead)).status], [[], 'rescheduled']);
        await run.tick(29);
        assert.deepEqual(await run.called(), []);
        await run.tick(1);
        assert.equal((await run.called()).length, 1, `retry ${retry}`);
      }
      await run.end({ status });
      assert.equal((await run.lead(lead)).status, 'reached-max-retries');
      assert.equal((await run.campaign())['status'], 'completed');
    });
  }

  test('has its secondary contacts called one after the other until one is reached', async () => {
    const run = await start();
    const lead = await run.add('+4989200100', ['+4989200101', '+4989200102', '+4989200103']);
    await run.tick();
    await run.end({ status: 'busy' });
    assert.deepEqual(await run.called(), ['+4989200101']);
    assert.deepEqual((await run.lead(lead)).contacts, ['processing', 'created', 'created']);
    await run.end({ status: 'no-answer' });
    assert.deepEqual(await run.called(), ['+4989200102']);
    await run.end();
    assert.deepEqual(await run.lead(lead), {
      status: 'completed',
      contacts: ['rescheduled', 'completed', 'created'],
    });
  });

  const sharesDatabase = { skip: testDatabase === 'pglite' && 'one connection' };

  /** Runs a step of the campaign while another transaction has locked a lead. */
  async function tickDuring(run: CampaignRun, lead: number, change: string): Promise<void> {
    const client = await database.pool.connect();
    let step: Promise<unknown> | undefined;
    try {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM leads WHERE id = $1 FOR UPDATE', [lead]);
      step = run.tick();
      await eventually('the step to wait', async () => {
        const { rows } = await database.pool.query('SELECT 1 FROM pg_locks WHERE NOT granted');
        return rows.length > 0;
      });
      await client.query(change, [lead]);
      await client.query('COMMIT');
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    await step;
  }

  /** The lead's contact was called, and the call has ended, but its campaign has not continued yet. */
  async function callContact() {
    const run = await start();
    const lead = await run.add('+4989200100', ['+4989200101', '+4989200102']);
    await run.tick();
    await run.end({ status: 'busy' });
    const [call = 0] = await run.openCalls();
    await endCall({ database, jobs: new StoredJobs(database) }, eq(calls.id, call), {
      status: 'busy',
      reason: 'busy',
    });
    return { run, lead };
  }

  test('can be deleted while its campaign continues', sharesDatabase, async () => {
    const { run, lead } = await callContact();
    await tickDuring(run, lead, 'DELETE FROM leads WHERE id = $1');
    assert.deepEqual(await run.called(), []);
  });

  test('keeps a status that is set while its campaign continues', sharesDatabase, async () => {
    const { run, lead } = await callContact();
    await tickDuring(run, lead, "UPDATE leads SET status = 'completed' WHERE id = $1");
    assert.deepEqual([(await run.lead(lead)).status, await run.called()], ['completed', []]);
  });

  test('does not hold up its call while it is deleted', sharesDatabase, async () => {
    const run = await start();
    const lead = await run.add('+4989200100');
    await run.tick();
    const [callId = 0] = await run.openCalls();
    const tokens = await markDialed(database, { callId, from: '' }, 1000);
    const owner = randomUUID();
    const connected = { callId, token: tokens?.token ?? '', connectToken: tokens?.connectToken ?? '' };
    const taken = await claimConnectedCall(
      database,
      { ...connected, carrierCallId: 'call' },
      { owner, milliseconds: 60_000 },
    );
    const plan = taken && (await planConversation(database.db, taken.call));
    assert.ok(plan);
    const dependencies = { database, jobs: new StoredJobs(database) };
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM leads WHERE id = $1 FOR UPDATE', [lead]);
    const store = new DatabaseCallStore(dependencies, { ...plan, mode: 'pipeline' }, owner);
    await store.chargeMinute(1);
    assert.deepEqual(await readMoney(service, run.owner.id), { balance: 9.9, ledger: 9.9 });
    assert.ok(await endCall(dependencies, eq(calls.id, callId), { status: 'failed', reason: 'cut-off' }));
    assert.deepEqual(await readMoney(service, run.owner.id), { balance: 10, ledger: 10 });
    await client.query('DELETE FROM leads WHERE id = $1', [lead]);
    await client.query('COMMIT');
    client.release();
    const [call] = await database.db.select().from(calls).where(eq(calls.id, callId));
    assert.deepEqual([call?.leadId, call?.totalCost, call?.carrierCost], [null, 0, 0]);
  });

  test('keeps a status that is set while it is scheduled', sharesDatabase, async () => {
    const run = await start();
    const lead = await run.add('+4989200100');
    await tickDuring(run, lead, "UPDATE leads SET status = 'completed' WHERE id = $1");
    assert.deepEqual([(await run.lead(lead)).status, await run.called()], ['completed', []]);
  });

  test('is retried with its contacts if nobody was reached, up to max_retries', async () => {
    const run = await start({ max_retries: 1, retry_interval: 10 });
    const lead = await run.add('+4989200100', ['+4989200101']);
    await run.tick();
    await run.end({ status: 'busy' });
    await run.end({ status: 'busy' });
    assert.deepEqual(await run.called(), []);
    await run.tick(10);
    assert.deepEqual(await run.called(), ['+4989200100']);
    await run.end({ status: 'busy' });
    await run.end({ status: 'busy' });
    assert.deepEqual(await run.lead(lead), {
      status: 'reached-max-retries',
      contacts: ['reached-max-retries'],
    });
  });

  test('is completed if a machine answers, unless retry_on_voicemail is true', async () => {
    for (const [retry_on_voicemail, status] of [
      [false, 'completed'],
      [true, 'rescheduled'],
    ] as const) {
      const run = await start({ retry_on_voicemail });
      const lead = await run.add('+4989200100');
      await run.tick();
      await run.end({ answeredBy: 'machine' });
      assert.equal((await run.lead(lead)).status, status);
    }
  });

  test('waits for the evaluation of its goal_completion_variable', async () => {
    for (const [won, status] of [
      [true, 'completed'],
      ['no', 'rescheduled'],
      [null, 'rescheduled'],
    ] as const) {
      const run = await start({ retry_on_goal_incomplete: true, goal_completion_variable: 'won' });
      const lead = await run.add('+4989200100');
      await run.tick();
      await run.end();
      assert.equal((await run.lead(lead)).status, 'processing');
      await database.db
        .update(calls)
        .set({ variables: { won }, endHandledAt: new Date().toISOString() })
        .where(eq(calls.campaignId, run.id));
      await run.tick();
      assert.equal((await run.lead(lead)).status, status, String(won));
    }
  });

  test('is retried if the evaluation is overdue or disabled', async () => {
    const rules = { retry_on_goal_incomplete: true, goal_completion_variable: 'won' };
    const run = await start(rules);
    const lead = await run.add('+4989200100');
    await run.tick();
    await run.end();
    await run.tick(11);
    assert.equal((await run.lead(lead)).status, 'rescheduled');
    const without = await start({ ...rules, assistant: { post_call_evaluation: false } });
    const other = await without.add('+4989200100');
    await without.tick();
    await without.end();
    assert.equal((await without.lead(other)).status, 'rescheduled');
  });

  test('causes no step of its campaign until its evaluation is overdue', async () => {
    const run = await start({ retry_on_goal_incomplete: true, goal_completion_variable: 'won' });
    await run.add('+4989200100');
    await run.tick();
    await run.end();
    await run.takeTicks(run.id);
    await run.tick();
    // The campaign's clock is a minute ahead of the end of the call.
    assert.deepEqual(await run.waitingTicks(), [9]);
  });

  test('is blacklisted if it opted out, and its number is not called any more', async () => {
    const run = await start({ max_calls_in_parallel: 1 });
    const lead = await run.add('+4989200900', ['+4989200901']);
    await run.tick();
    await run.end({ found: { do_not_call: true } });
    assert.deepEqual(await run.lead(lead), { status: 'blacklisted', contacts: ['created'] });
    const contact = await run.add('+4989200902', ['+4989200900', '+4989200903']);
    await run.change('start');
    await run.tick();
    await run.end({ status: 'busy' });
    assert.deepEqual(await run.called(), ['+4989200903']);
    await run.end();
    assert.equal((await run.lead(contact)).status, 'completed');
    const made = await run.owner.post('make_call', {
      phone_number: '+4989200900',
      assistant_id: (await run.campaign())['assistant_id'],
    });
    assert.equal(made.status, 422);
  });

  test('waits for an evaluation that may report do_not_call before its contacts are called', async () => {
    const post_call_schema = [{ name: 'do_not_call', type: 'bool', description: 'Refuses further calls' }];
    const run = await start({ assistant: { post_call_schema } });
    const evaluate = async (leadId: number, variables: { do_not_call: boolean }) => {
      const endHandledAt = new Date().toISOString();
      await database.transaction(async (tx) => {
        const evaluated = { variables, endHandledAt };
        const [call] = await tx.update(calls).set(evaluated).where(eq(calls.leadId, leadId)).returning();
        assert.ok(call);
        await applyEvaluation({ tx, jobs: new StoredJobs(database) }, call, variables);
      });
      await run.tick();
    };
    for (const [number, status, optsOut, expected] of [
      ['+4989200910', 'completed', true, { status: 'blacklisted', contacts: ['created'] }],
      ['+4989200911', 'failed', true, { status: 'blacklisted', contacts: ['created'] }],
      ['+4989200912', 'completed', false, { status: 'completed', contacts: ['created'] }],
      ['+4989200913', 'failed', false, { status: 'processing', contacts: ['processing'] }],
    ] as const) {
      const lead = await run.add(number, ['+4989200914']);
      await run.change('start');
      await run.tick();
      await run.end({ status, talked: true });
      assert.deepEqual(await run.lead(lead), { status: 'processing', contacts: ['created'] });
      await evaluate(lead, { do_not_call: optsOut });
      assert.deepEqual(await run.lead(lead), expected, number);
    }
    // Nothing was said to the contact: there is nothing to evaluate.
    await run.end({ status: 'busy' });
    assert.deepEqual(await run.called(), []);
    const overdue = await run.add('+4989200915');
    await run.tick();
    await run.end({ talked: true });
    assert.equal((await run.lead(overdue)).status, 'processing');
    await run.tick(11);
    assert.equal((await run.lead(overdue)).status, 'completed');
  });

  test('does not lose a try if the balance was too low for the call', async () => {
    const run = await start({ max_retries: 1 });
    const lead = await run.add('+4989200100');
    await run.tick();
    await run.end({ status: 'ended', reason: 'balance' });
    assert.equal((await run.lead(lead)).status, 'processing');
    await run.end({ status: 'busy' });
    assert.equal((await run.lead(lead)).status, 'rescheduled');
  });

  test('is called again if its status is reset to created, but not during a call', async () => {
    const run = await start();
    const lead = await run.add('+4989200100');
    await run.tick();
    await run.owner.put(`leads/${lead}`, { status: 'created' });
    await run.tick();
    assert.equal((await run.called()).length, 1);
    await run.end();
    assert.equal((await run.called()).length, 1);
    await run.end();
    assert.equal((await run.lead(lead)).status, 'completed');
  });

  test('is called again with its contacts, except those who opted out, if its status is reset to created', async () => {
    const run = await start();
    const lead = await run.add('+4989200300', ['+4989200301', '+4989200302', '+4989200303']);
    await run.tick();
    await run.end({ status: 'busy' });
    await run.end({ found: { do_not_call: true } });
    await run.end();
    const ended = { status: 'completed', contacts: ['blacklisted', 'completed', 'created'] };
    assert.deepEqual(await run.lead(lead), ended);
    await run.owner.put(`leads/${lead}`, { status: 'created' });
    await run.change('start');
    await run.tick();
    assert.deepEqual(await run.called(), ['+4989200300']);
    await run.end({ status: 'busy' });
    assert.deepEqual(await run.called(), ['+4989200302']);
    await run.end({ status: 'busy' });
    assert.deepEqual(await run.called(), ['+4989200303']);
  });

  test('leaves no contact in processing if its status is set during the call of the contact', async () => {
    const run = await start();
    for (const [status, number] of [
      ['completed', '+4989200190'],
      ['created', '+4989200191'],
    ] as const) {
      const lead = await run.add(number, ['+4989200192', '+4989200193']);
      await run.tick();
      await run.end({ status: 'busy' });
      await run.owner.put(`leads/${lead}`, { status });
      await run.change('stop');
      await run.end({ status: 'busy' });
      assert.deepEqual(await run.lead(lead), { status, contacts: [status, 'created'] });
      await run.change('start');
    }
  });

  test('is completed if the record of its call is deleted', async () => {
    const run = await start({ max_calls_in_parallel: 1 });
    const [lead, next] = [await run.add('+4989200100'), await run.add('+4989200200')];
    await run.tick();
    for (const id of await run.openCalls()) assert.equal((await run.owner.delete(`calls/${id}`)).status, 200);
    await run.tick();
    assert.deepEqual(
      [await run.called(), (await run.lead(lead)).status, (await run.lead(next)).status],
      [['+4989200200'], 'completed', 'processing'],
    );
  });

  test('continues in another campaign if it is moved during its call', async () => {
    const run = await start();
    const lead = await run.add('+4989200100');
    await run.tick();
    const other = await run.owner.create('campaigns', {
      name: 'Autumn',
      assistant_id: (await run.campaign())['assistant_id'],
    });
    await run.owner.put(`leads/${lead}`, { campaign_id: other.id });
    await run.end({ status: 'busy' });
    await run.tick(0, other.id);
    const { json } = await run.owner.get(`leads?campaign_id=${other.id}`);
    assert.deepEqual(
      (json['data'] as Record<string, unknown>[]).map(({ id, status }) => [id, status]),
      [[lead, 'rescheduled']],
    );
  });

  test('does not lose a try if its call was not started', async () => {
    const run = await start({ max_retries: 1 });
    const lead = await run.add('+4989200100');
    await run.tick();
    await run.end({ status: 'failed', reason: 'not-started' });
    await run.end({ status: 'busy' });
    assert.equal((await run.lead(lead)).status, 'rescheduled');
  });

  test('loses a try if the process of its call died before it rang, since the number may have been dialed', async () => {
    const run = await start({ max_retries: 1 });
    const lead = await run.add('+4989200100');
    await run.tick();
    for (const call of await run.openCalls()) {
      assert.ok(await markDialed(database, { callId: call, from: '' }, -1000));
    }
    await failAbandonedCalls({ database, jobs: new StoredJobs(database) });
    await run.tick();
    assert.deepEqual([await run.called(), (await run.lead(lead)).status], [[], 'rescheduled']);
  });

  test('loses a try if its call was interrupted during the conversation, and is retried after retry_interval', async () => {
    const run = await start({ max_retries: 1 });
    const lead = await run.add('+4989200100');
    await run.tick();
    for (const status of ['rescheduled', 'reached-max-retries']) {
      await run.end({ status: 'ended', reason: 'balance', talked: true });
      assert.deepEqual([await run.called(), (await run.lead(lead)).status], [[], status]);
      await run.tick(60);
    }
  });

  const cutOff = { status: 'failed', reason: 'cut-off', talked: true } as const;

  async function triesOf(lead: number): Promise<number | undefined> {
    const { rows } = await database.pool.query<{ tries: number }>('SELECT tries FROM leads WHERE id = $1', [
      lead,
    ]);
    return rows[0]?.tries;
  }

  for (const [reason, title] of [
    ['service-stopped', 'the service stops before the customer speaks'],
    ['carrier-error', 'an error of the carrier prevents its call'],
  ] as const) {
    test(`does not lose a try if ${title}`, async () => {
      const run = await start({ retry_interval: 10 });
      const lead = await run.add('+4989200100');
      await run.tick();
      await run.end({ status: 'failed', reason });
      assert.deepEqual([(await run.lead(lead)).status, await triesOf(lead)], ['rescheduled', 0]);
      assert.deepEqual(await run.called(), []);
      await run.tick(10);
      assert.deepEqual(await run.called(), ['+4989200100']);
    });
  }

  test('does not lose a try if an error cuts off its call before the customer speaks', async () => {
    const run = await start({ retry_interval: 10 });
    const lead = await run.add('+4989200100', ['+4989200101']);
    await run.tick();
    await run.end(cutOff);
    assert.deepEqual([await run.called(), (await run.lead(lead)).status], [[], 'rescheduled']);
    await run.tick(9);
    assert.deepEqual(await run.called(), []);
    await run.tick(1);
    assert.deepEqual(await run.called(), ['+4989200100']);
    await run.end({ status: 'busy' });
    await run.end(cutOff);
    assert.deepEqual(await run.lead(lead), { status: 'rescheduled', contacts: ['rescheduled'] });
    assert.equal(await triesOf(lead), 0);
    await run.tick(10);
    assert.deepEqual(await run.called(), ['+4989200101']);
    await run.end();
    assert.equal((await run.lead(lead)).status, 'completed');
  });

  test('loses no try while the carrier accepts no call of the campaign, which stops in the end', async () => {
    const run = await start({ retry_interval: 10, max_calls_in_parallel: 3 });
    const lead = await run.add('+4989200100');
    for (let round = 0; round < 2; round++) {
      for (let call = 0; call < 5; call++) {
        assert.equal((await run.campaign())['stop_reason'], null);
        await run.tick(10);
        assert.deepEqual(await run.called(), ['+4989200100']);
        await run.end({ status: 'failed', reason: 'carrier-error' });
        assert.equal(await triesOf(lead), 0);
      }
      assert.equal((await run.campaign())['stop_reason'], 'carrier-error');
      await run.change('start');
    }
  });

  test('loses a try if an error cuts off its call later', async () => {
    const run = await start();
    const lead = await run.add('+4989200100');
    await run.tick();
    await run.end({ ...cutOff, answered: true });
    assert.deepEqual([(await run.lead(lead)).status, await triesOf(lead)], ['rescheduled', 1]);
  });

  for (const end of [cutOff, { status: 'failed', reason: 'carrier-error' }] as const) {
    test(`loses a try with the third call in a row that ends by ${end.reason}, if those of others succeed`, async () => {
      const run = await start({ retry_interval: 10, max_calls_in_parallel: 1 });
      const lead = await run.add('+4989200100');
      await run.tick();
      for (const [tries, other] of ['+4989200200', '+4989200201', '+4989200202'].entries()) {
        assert.deepEqual([await run.called(), await triesOf(lead)], [['+4989200100'], 0]);
        await run.end(end);
        assert.equal(await triesOf(lead), tries < 2 ? 0 : 1);
        await run.add(other);
        await run.tick(1);
        assert.deepEqual(await run.called(), [other]);
        await run.end();
        await run.tick(10);
      }
    });
  }

  test('depends on its latest call only, even if that call is deleted', async () => {
    const run = await start({ retry_interval: 10 });
    const lead = await run.add('+4989200100');
    await run.tick();
    await run.end({ status: 'busy' });
    await run.tick(10);
    for (const id of await run.openCalls()) await run.owner.delete(`calls/${id}`);
    await run.tick();
    assert.deepEqual([await run.called(), (await run.lead(lead)).status], [[], 'completed']);
  });

  test('notifies its campaigns when it is deleted or moved', async () => {
    const run = await start();
    const other = await run.owner.create('campaigns', {
      name: 'Autumn',
      assistant_id: (await run.campaign())['assistant_id'],
    });
    const jobs = new StoredJobs(database);
    const erase = (phone: string) => database.db.transaction((tx) => deletePerson({ tx, jobs }, { phone }));
    const ids = [run.id, other.id];
    const lead = await run.add('+4989200110', ['+4989200120']);
    await run.tick();
    await run.end({ status: 'busy' });
    assert.deepEqual(await run.called(), ['+4989200120']);
    await run.takeTicks(...ids);
    // The call of a contact: its lead is kept.
    assert.equal((await erase('+4989200120')).calls, 1);
    assert.deepEqual(await run.takeTicks(...ids), [run.id]);
    await run.tick();
    assert.equal((await run.lead(lead)).status, 'rescheduled');
    await run.owner.put(`leads/${lead}`, { campaign_id: other.id });
    assert.deepEqual(await run.takeTicks(...ids), ids);
    await erase('+4989200110');
    assert.deepEqual(await run.takeTicks(...ids), ids);
    const last = await run.add('+4989200130');
    await run.takeTicks(...ids);
    await run.owner.delete(`leads/${last}`);
    assert.deepEqual(await run.takeTicks(...ids), [run.id]);
  });

  test('continues with the next contact or retry if a contact is deleted before its turn', async (t) => {
    const run = await start({ retry_interval: 10 });
    const jobs = new StoredJobs(database);
    await run.add('+4989200140', ['+4989200150', '+4989200160']);
    await run.add('+4989200170', ['+4989200150']);
    await run.tick();
    await run.change('stop');
    await run.end({ status: 'busy' });
    // An embedded database has the clock of its process.
    if (testDatabase === 'postgres') t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
    await database.db.transaction((tx) => deletePerson({ tx, jobs }, { phone: '+4989200150' }));
    t.mock.timers.reset();
    await run.change('start');
    await run.tick();
    assert.deepEqual(await run.called(), ['+4989200160']);
    await run.tick(11);
    assert.deepEqual(await run.called(), ['+4989200160', '+4989200170']);
  });

  test('continues with the next contact if a contact is deleted during its call', async () => {
    const run = await start();
    const jobs = new StoredJobs(database);
    const lead = await run.add('+4989200180', ['+4989200181', '+4989200182']);
    await run.tick();
    await run.end({ status: 'busy' });
    assert.deepEqual(await run.called(), ['+4989200181']);
    await database.db.transaction((tx) => deletePerson({ tx, jobs }, { phone: '+4989200181' }));
    await run.tick();
    assert.deepEqual(await run.called(), ['+4989200182']);
    await run.end();
    assert.deepEqual(await run.lead(lead), { status: 'completed', contacts: ['completed'] });
  });
});
