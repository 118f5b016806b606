import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eq } from 'drizzle-orm';
import { planCall } from '../../src/service/call/start/plan-call.ts';
import { markDialed } from '../../src/service/call/start/mark-dialed.ts';
import { calls } from '../../src/service/db/calls-table.ts';
import { CampaignRun } from '../support/records/campaign-run.ts';
import { startService } from '../support/service/service.ts';
import { utcDay } from '../support/utc-day.ts';

const service = await startService();
const { database } = service.running;
const start = (fields: Parameters<typeof CampaignRun.start>[1] = {}) => CampaignRun.start(service, fields);

/** A time of tomorrow in UTC, since the leads are due from now on. */
const tomorrowAt = (time: string) =>
  new Date(`${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T${time}Z`);

const plan = (call: number, now: Date) => planCall(database, call, 'all', { at: now });

describe('a campaign', () => {
  test('calls its leads in order, up to max_calls_in_parallel, and completes after the last one', async () => {
    const run = await start({ max_calls_in_parallel: 2 });
    const leads = [await run.add('+4989200100'), await run.add('+4989200200'), await run.add('+4989200300')];
    assert.equal((await run.lead(leads[0] ?? 0)).status, 'created');
    await run.tick();
    assert.deepEqual(await run.called(), ['+4989200100', '+4989200200']);
    await run.tick();
    assert.equal((await run.called()).length, 2);
    assert.deepEqual(await Promise.all(leads.map(async (id) => (await run.lead(id)).status)), [
      'processing',
      'processing',
      'scheduled',
    ]);
    await run.end();
    assert.deepEqual(await run.called(), ['+4989200300']);
    assert.equal((await run.campaign())['status'], 'in-progress');
    await run.end();
    assert.equal((await run.campaign())['status'], 'completed');
    assert.deepEqual(await Promise.all(leads.map(async (id) => (await run.lead(id)).status)), [
      'completed',
      'completed',
      'completed',
    ]);
  });

  test('takes another step at once, and completes, if the numbers of its last leads are blocked', async () => {
    const run = await start();
    const lead = await run.add('+4989200100');
    await run.owner.post('blocked-numbers', { phone_number: '+4989200100' });
    await run.takeTicks(run.id);
    await run.tick();
    assert.equal((await run.lead(lead)).status, 'blacklisted');
    assert.deepEqual(await run.takeTicks(run.id), [run.id]);
    await run.tick();
    assert.equal((await run.campaign())['status'], 'completed');
    assert.deepEqual(await run.takeTicks(run.id), []);
  });

  test('handles 100 leads with blocked numbers in one step, and the others in the next', async () => {
    const run = await start();
    const number = "'+4989201' || lpad(n::text, 3, '0') FROM generate_series(1, 101) n";
    await database.pool.query(
      `INSERT INTO leads (user_id, campaign_id, phone_number) SELECT $1, $2, ${number}`,
      [run.owner.id, run.id],
    );
    await database.pool.query(`INSERT INTO blocked_numbers (user_id, phone_number) SELECT $1, ${number}`, [
      run.owner.id,
    ]);
    await run.add('+4989200100');
    const countBlacklisted = async () => {
      const { rows } = await database.pool.query<{ count: number }>(
        "SELECT count(*)::integer FROM leads WHERE campaign_id = $1 AND status = 'blacklisted'",
        [run.id],
      );
      return rows[0]?.count;
    };
    await run.takeTicks(run.id);
    await run.tick();
    assert.deepEqual([await countBlacklisted(), await run.called()], [100, []]);
    assert.deepEqual(await run.takeTicks(run.id), [run.id]);
    await run.tick();
    assert.deepEqual([await countBlacklisted(), await run.called()], [101, ['+4989200100']]);
    assert.deepEqual(await run.takeTicks(run.id), []);
  });

  test('stays in progress without leads if mark_complete_when_no_leads is false', async () => {
    const run = await start({ mark_complete_when_no_leads: false });
    await run.tick();
    assert.equal((await run.campaign())['status'], 'in-progress');
    await run.add('+4989200100');
    await run.tick();
    assert.equal((await run.called()).length, 1);
  });

  test("calls with the lead's variables and rotates its numbers", async () => {
    const run = await start({ numbers: 2, assistant: { variables: { name: 'you', city: 'Oslo' } } });
    for (const number of ['+4989200100', '+4989200200', '+4989200300']) await run.add(number);
    await run.tick();
    const rows = await database.db.select().from(calls).where(eq(calls.campaignId, run.id)).orderBy(calls.id);
    assert.deepEqual(rows[0]?.inputVariables, { name: 'Ada', city: 'Oslo' });
    assert.equal(rows[0].campaignName, 'Spring');
    const [first, second, third] = rows.map(({ assistantPhoneNumber }) => assistantPhoneNumber);
    assert.match(String(first), /^\+49/);
    assert.notEqual(first, second);
    assert.equal(first, third);
  });

  test('calls only during its calling hours', async () => {
    const run = await start({
      timezone: 'UTC',
      allowed_hours_start_time: '09:00',
      allowed_hours_end_time: '09:59',
    });
    await run.add('+4989200100');
    run.now = tomorrowAt('08:59:00');
    await run.tick();
    assert.deepEqual(await run.called(), []);
    await run.tick(1);
    assert.equal((await run.called()).length, 1);
  });

  test('makes no calls while it is stopped, but updates leads whose calls end', async () => {
    const run = await start({ max_calls_in_parallel: 1 });
    const [under, waits] = [await run.add('+4989200100'), await run.add('+4989200200')];
    await run.tick();
    await run.change('stop');
    assert.deepEqual(
      [(await run.lead(under)).status, (await run.lead(waits)).status],
      ['processing', 'created'],
    );
    await run.end();
    assert.deepEqual(
      [(await run.lead(under)).status, (await run.lead(waits)).status],
      ['completed', 'created'],
    );
    assert.deepEqual(await run.called(), []);
    await run.change('start');
    await run.tick();
    assert.deepEqual(await run.called(), ['+4989200200']);
  });

  test('stops with a stop_reason if errors cut off more calls in a row than it makes in parallel', async () => {
    const run = await start({ max_calls_in_parallel: 1, retry_interval: 10 });
    const leads = [];
    for (let number = 100; number < 110; number++) leads.push(await run.add(`+4989200${number}`));
    const cutOff = { status: 'failed', reason: 'cut-off' } as const;
    const state = async () => {
      const { status, stop_reason } = await run.campaign();
      return [status, stop_reason];
    };
    await run.tick();
    await run.end(cutOff);
    await run.end({ ...cutOff, talked: true, answered: true });
    await run.end();
    await run.end(cutOff);
    await run.end({ status: 'busy' });
    await run.end({ answeredBy: 'machine' });
    await run.end(cutOff);
    assert.deepEqual(await state(), ['in-progress', null]);
    await run.end(cutOff);
    assert.deepEqual([await run.called(), await state()], [[], ['stopped', 'cut-off']]);
    await run.tick(10);
    assert.deepEqual(await run.called(), []);
    // Earlier calls do not count after the start.
    await run.change('start');
    await run.tick();
    await run.end(cutOff);
    await run.end(cutOff);
    assert.deepEqual([(await run.called()).length, await state()], [1, ['in-progress', null]]);
    await run.end(cutOff);
    assert.deepEqual(await state(), ['stopped', 'cut-off']);
  });

  test('stops with a stop_reason if the carrier accepts no more calls, and loses no tries', async () => {
    const run = await start({ max_calls_in_parallel: 1, retry_interval: 10, max_retries: 1 });
    const leads = [];
    for (let number = 100; number < 106; number++) leads.push(await run.add(`+4989200${number}`));
    const refused = { status: 'failed', reason: 'carrier-error' } as const;
    const state = async () => {
      const { status, stop_reason } = await run.campaign();
      return [status, stop_reason];
    };
    /** Right after an error, no call is made: it may last for seconds only. */
    const refuse = async () => {
      await run.end(refused);
      // The end of the call is handled, and leads are added.
      await run.tick();
      assert.deepEqual(await run.called(), []);
      await run.tick(1);
    };
    await run.tick();
    await refuse();
    await refuse();
    // It shows that the carrier accepts calls.
    await run.end({ status: 'no-answer', reason: 'no-answer' });
    await refuse();
    await refuse();
    assert.deepEqual(await state(), ['in-progress', null]);
    await refuse();
    assert.deepEqual([await run.called(), await state()], [[], ['stopped', 'carrier-error']]);
    const { rows } = await database.pool.query<{ tries: number }>(
      'SELECT sum(tries)::int AS tries FROM leads WHERE campaign_id = $1',
      [run.id],
    );
    assert.deepEqual(rows, [{ tries: 1 }]);
  });

  test('stops with a stop_reason if the balance is too low', async () => {
    const run = await start({ balance: '0.1' });
    const lead = await run.add('+4989200100');
    await database.pool.query('UPDATE users SET balance = 0.09 WHERE id = $1', [run.owner.id]);
    await run.tick();
    const { status, stop_reason } = await run.campaign();
    assert.deepEqual([status, stop_reason], ['stopped', 'insufficient-balance']);
    assert.deepEqual([await run.called(), (await run.lead(lead)).status], [[], 'created']);
    await database.pool.query('UPDATE users SET balance = 0.1 WHERE id = $1', [run.owner.id]);
    await run.change('start');
    assert.equal((await run.campaign())['stop_reason'], null);
  });

  test('makes no calls while the daily limit of the owner is used up, and resumes the next day', async () => {
    const run = await start({ balance: '100' });
    const lead = await run.add('+4989200100');
    const spend =
      'UPDATE users SET daily_spending_limit = 1, spent_today = 0.95, spent_on = $2 WHERE id = $1';
    await database.pool.query(spend, [run.owner.id, await utcDay()]);
    await run.tick();
    assert.equal((await run.campaign())['stop_reason'], null);
    assert.deepEqual([await run.called(), (await run.lead(lead)).contacts], [[], []]);
    await database.pool.query(spend, [run.owner.id, '2020-01-01']);
    await run.tick();
    assert.deepEqual(await run.called(), ['+4989200100']);
  });

  test('stops if its assistant was deleted', async () => {
    const run = await start();
    await run.add('+4989200100');
    await run.owner.delete(`assistant/${String((await run.campaign())['assistant_id'])}`);
    await run.tick();
    assert.equal((await run.campaign())['stop_reason'], 'no-assistant');
  });

  test('stops if its assistant becomes inbound, and cancels waiting calls', async () => {
    const run = await start({ max_calls_in_parallel: 1 });
    await run.add('+4989200100');
    await run.add('+4989200200');
    await run.tick();
    const [call = 0] = await run.openCalls();
    await database.pool.query(
      "UPDATE assistants SET type = 'inbound' WHERE id = (SELECT assistant_id FROM campaigns WHERE id = $1)",
      [run.id],
    );
    assert.equal(await plan(call, new Date()), 'no-assistant');
    await run.end({ status: 'failed', reason: 'no-assistant' });
    assert.deepEqual([await run.called(), (await run.campaign())['stop_reason']], [[], 'no-assistant']);
  });

  test('cancels calls that waited until the end of the calling hours', async () => {
    const run = await start({
      timezone: 'UTC',
      allowed_hours_start_time: '09:00',
      allowed_hours_end_time: '09:59',
      max_calls_in_parallel: 2,
    });
    const lead = await run.add('+4989200100');
    await run.add('+4989200200');
    run.now = tomorrowAt('09:59:00');
    await run.tick();
    const [first = 0, second = 0] = await run.openCalls();
    assert.equal(typeof (await plan(second, tomorrowAt('09:59:59'))), 'object');
    assert.equal(await plan(first, tomorrowAt('10:00:00')), 'not-started');
    await run.tick(1);
    await run.end({ status: 'failed', reason: 'not-started' });
    assert.deepEqual([await run.called(), (await run.lead(lead)).status], [[], 'rescheduled']);
  });

  test('cancels a waiting call if its number is blocked, or its lead is deleted or completed', async () => {
    const run = await start({ max_calls_in_parallel: 4 });
    const leads = [];
    for (const number of ['+4989200100', '+4989200200', '+4989200300', '+4989200400'])
      leads.push(await run.add(number));
    const [blocked = 0, deleted = 0, completed = 0] = leads;
    await run.tick();
    const waiting = await run.openCalls();
    await run.owner.post('blocked-numbers', { phone_number: '+4989200100' });
    await run.owner.delete(`leads/${deleted}`);
    await run.owner.put(`leads/${completed}`, { status: 'completed' });
    const plans = await Promise.all(waiting.map((call) => plan(call, new Date())));
    assert.deepEqual(
      plans.map((planned) => (typeof planned === 'string' ? planned : typeof planned)),
      ['blocked', 'not-started', 'not-started', 'object'],
    );
    await run.end({ status: 'failed', reason: 'not-started' });
    assert.deepEqual(
      [(await run.lead(blocked)).status, (await run.lead(completed)).status],
      ['blacklisted', 'completed'],
    );
  });

  test('calls the new number of a lead if it changes while the call waits, but still its contacts', async () => {
    const run = await start({ max_retries: 1, retry_interval: 10 });
    const lead = await run.add('+4989200100');
    const other = await run.add('+4989200200', ['+4989200201']);
    await run.tick();
    await run.end({ status: 'busy' });
    await run.tick(9);
    const [contactCall = 0] = await run.openCalls();
    assert.deepEqual(await run.called(), ['+4989200201']);
    await run.tick(1);
    const [, leadCall = 0] = await run.openCalls();
    assert.deepEqual(await run.called(), ['+4989200201', '+4989200100']);
    await run.owner.put(`leads/${lead}`, { phone_number: '+4989200999' });
    await run.owner.put(`leads/${other}`, { phone_number: '+4989200888' });
    assert.equal(typeof (await plan(contactCall, new Date())), 'object');
    assert.equal(await plan(leadCall, new Date()), 'not-started');
    await run.end({ status: 'failed', reason: 'not-started' });
    assert.ok((await run.called()).includes('+4989200999'));
  });

  test('does not make a waiting call of a lead that was moved to another campaign', async () => {
    const run = await start();
    const lead = await run.add('+4989200100');
    await run.tick();
    const [call = 0] = await run.openCalls();
    const { id: target } = await run.owner.create('campaigns', {
      name: 'Summer',
      assistant_id: (await run.campaign())['assistant_id'],
    });
    await run.owner.put(`leads/${lead}`, { campaign_id: target });
    assert.equal(await plan(call, new Date()), 'not-started');
  });

  test('shows no number that was released while the call waited', async () => {
    const run = await start({ numbers: 2 });
    await run.add('+4989200100');
    await run.tick();
    const [call = 0] = await run.openCalls();
    const shown = async () => {
      const planned = await plan(call, new Date());
      return typeof planned === 'object' ? planned.call.from : planned;
    };
    const { rows: own } = await database.pool.query<{ id: number; number: string }>(
      'SELECT id, phone_number AS number FROM phone_numbers WHERE user_id = $1 ORDER BY id',
      [run.owner.id],
    );
    const [first, second] = own;
    assert.equal(await shown(), first?.number);
    // Its month has ended, and it has not been deleted yet.
    await database.pool.query('UPDATE phone_numbers SET release_at = now() WHERE id = $1', [first?.id]);
    assert.equal(await shown(), second?.number);
    await database.pool.query('DELETE FROM phone_numbers WHERE id = $1', [second?.id]);
    assert.equal(await shown(), '');
    await markDialed(database, { callId: call, from: '' }, 1000);
    const [dialed] = await database.db.select().from(calls).where(eq(calls.id, call));
    assert.equal(dialed?.assistantPhoneNumber, '');
  });

  test('limits parallel calls to the available balance', async () => {
    const run = await start({ balance: '0.35', max_calls_in_parallel: 5 });
    const assistant_id = (await run.campaign())['assistant_id'];
    const made = await run.owner.post('make_call', { phone_number: '+4989200900', assistant_id });
    assert.equal(made.status, 200);
    const other = await run.owner.create('campaigns', { name: 'Autumn', assistant_id });
    await run.owner.post('campaigns/update-status', { campaign_id: other.id, action: 'start' });
    for (let digit = 1; digit <= 4; digit++) {
      await run.add(`+498920010${digit}`);
      await run.owner.create('lead', { phone_number: `+498920020${digit}`, campaign_id: other.id });
    }
    await Promise.all([run.tick(), run.tick(0, other.id)]);
    const open = "SELECT 1 FROM calls WHERE user_id = $1 AND status = 'initiated'";
    assert.equal((await database.pool.query(open, [run.owner.id])).rows.length, 3);
    const refused = await run.owner.post('make_call', { phone_number: '+4989200901', assistant_id });
    assert.equal(refused.status, 422);
    assert.equal((await run.campaign())['status'], 'in-progress');
    // One call ends without a charge, so another one can start.
    await run.owner.delete(`calls/${String(made.json['call_id'])}`);
    await run.tick();
    assert.equal((await database.pool.query(open, [run.owner.id])).rows.length, 3);
  });

  test('schedules and unschedules leads in batches', async () => {
    const run = await start({ max_calls_in_parallel: 1 });
    await database.pool.query(
      `INSERT INTO leads (user_id, campaign_id, phone_number)
       SELECT $1, $2, '+49892' || 100000 + index FROM generate_series(1, 2500) AS given (index)`,
      [run.owner.id, run.id],
    );
    const count = async (status: string) => (await run.owner.get(`leads?status=${status}`)).json['total'];
    const counts: unknown[] = [];
    for (const expected of [999, 1999, 2499]) {
      await run.takeTicks(run.id);
      await run.tick();
      counts.push(await count('scheduled'), (await run.takeTicks(run.id)).length);
      assert.equal(counts.at(-2), expected);
    }
    await run.change('stop');
    counts.push(await count('created'), (await run.takeTicks(run.id)).length);
    for (let step = 0; step < 2; step++) {
      await run.tick();
      counts.push(await count('created'), (await run.takeTicks(run.id)).length);
    }
    assert.deepEqual(counts, [999, 1, 1999, 1, 2499, 0, 1000, 1, 2000, 1, 2499, 0]);
  });
});
