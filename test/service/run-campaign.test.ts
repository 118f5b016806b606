import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eq } from 'drizzle-orm';
import { calls } from '../../src/service/db/calls-table.ts';
import { CampaignRun } from '../support/campaign-run.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const { database } = service.running;
const start = (fields: Parameters<typeof CampaignRun.start>[1] = {}) => CampaignRun.start(service, fields);

describe('a campaign', () => {
  test('calls its leads in their order, no more at once than it may, and completes with the last', async () => {
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

  test('stays in progress without leads when it is not to complete, and calls one that comes', async () => {
    const run = await start({ mark_complete_when_no_leads: false });
    await run.tick();
    assert.equal((await run.campaign())['status'], 'in-progress');
    await run.add('+4989200100');
    await run.tick();
    assert.equal((await run.called()).length, 1);
  });

  test('calls with the variables of the lead over those of its assistant, from its numbers in turn', async () => {
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

  test('calls in its hours alone', async () => {
    const run = await start({
      timezone: 'UTC',
      allowed_hours_start_time: '09:00',
      allowed_hours_end_time: '09:59',
    });
    await run.add('+4989200100');
    run.now = new Date('2036-01-14T08:59:00Z');
    await run.tick();
    assert.deepEqual(await run.called(), []);
    await run.tick(1);
    assert.equal((await run.called()).length, 1);
  });

  test('does nothing when it is stopped but to take in what its calls have come to', async () => {
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

  test('stops when the balance is too low, and says why until it is started again', async () => {
    const run = await start({ balance: '0.09' });
    const lead = await run.add('+4989200100');
    await run.tick();
    const { status, stop_reason } = await run.campaign();
    assert.deepEqual([status, stop_reason], ['stopped', 'insufficient-balance']);
    assert.deepEqual([await run.called(), (await run.lead(lead)).status], [[], 'created']);
    await run.change('start');
    assert.equal((await run.campaign())['stop_reason'], null);
  });

  test('stops when its assistant was deleted', async () => {
    const run = await start();
    await run.add('+4989200100');
    await run.owner.delete(`assistant/${String((await run.campaign())['assistant_id'])}`);
    await run.tick();
    assert.equal((await run.campaign())['stop_reason'], 'no-assistant');
  });
});
