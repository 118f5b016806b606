import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { newDatabase, startService } from '../support/service/service.ts';
import { eventually } from '../support/eventually.ts';

/** Tables that are read to prepare a call; each is temporarily unavailable. */
for (const table of ['languages', 'tools']) {
  test(`retries the call without counting a try if reading ${table} fails once`, async () => {
    const env = { ...(await newDatabase()), CARRIER_SECONDS: '0', JOB_POLL_SECONDS: '0.5' };
    const service = await startService({ ...env, WORKERS: 'on' });
    const { pool } = service.running.database;
    const owner = await Owner.create(service, '10');
    const tool = await owner.create('tools', {
      ...{ name: 'find_order', description: 'Finds an order.' },
      ...{ endpoint: 'https://shop.example/orders', method: 'GET' },
    });
    const assistant = await owner.create('assistant', assistantBody({ tool_ids: [tool.id] }));
    const campaign = await owner.create('campaigns', { name: 'Spring', assistant_id: assistant.id });
    await owner.create('lead', { phone_number: '+4989300100000', campaign_id: campaign.id });
    await pool.query(`ALTER TABLE ${table} RENAME TO unavailable`);
    await owner.post('campaigns/update-status', { campaign_id: campaign.id, action: 'start' });
    await eventually('a failed attempt', async () => {
      const { rows } = await pool.query(
        "SELECT 1 FROM jobs.job WHERE name = 'place-call' AND (state = 'retry' OR retry_count > 0)",
      );
      return rows.length > 0 ? true : undefined;
    });
    await pool.query(`ALTER TABLE unavailable RENAME TO ${table}`);
    const lead = await eventually('the lead to be called', async () => {
      const { rows } = await pool.query<{ status: string; tries: number; calls: number }>(
        'SELECT status, tries, (SELECT count(*)::int FROM calls) AS calls FROM leads',
      );
      return /^(completed|rescheduled)$/.test(rows[0]?.status ?? '') ? rows[0] : undefined;
    });
    assert.deepEqual(lead, { status: 'completed', tries: 0, calls: 1 });
  });
}
