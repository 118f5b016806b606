import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CarrierError } from '../../src/service/carrier/carrier-error.ts';
import { SimulatedCarrier } from '../../src/service/carrier/simulated-carrier.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { newDatabase, readMoney, startService } from '../support/service/service.ts';
import { eventually } from '../support/eventually.ts';

const service = await startService({ ...(await newDatabase()), WORKERS: 'on', CARRIER_SECONDS: '0' });
const { pool } = service.running.database;

test('calls all leads in the background and updates them by the outcome of their calls', async () => {
  const owner = await Owner.create(service, '10');
  const assistant = await owner.create('assistant', assistantBody());
  const campaign = await owner.create('campaigns', {
    name: 'Spring',
    assistant_id: assistant.id,
    max_calls_in_parallel: 2,
  });
  // The digits determine the outcome: see number-traits.ts.
  const expected = {
    '+4989300100000': 'completed',
    '+4989300101000': 'completed',
    '+4989300100093': 'completed',
    '+4989300100085': 'rescheduled',
    '+4989300100098': 'rescheduled',
    '+4989300100070': 'completed',
    '+4989300100900': 'blacklisted',
    '+4989300102700': 'completed',
  };
  for (const phone_number of Object.keys(expected)) {
    const secondary_contacts = phone_number.endsWith('93') ? [{ phone_number: '+4989300103000' }] : [];
    await owner.create('lead', { phone_number, campaign_id: campaign.id, secondary_contacts });
  }
  const change = (action: string) =>
    owner.post('campaigns/update-status', { campaign_id: campaign.id, action });
  for (const action of ['start', 'stop', 'start', 'start', 'stop', 'stop', 'start']) {
    assert.equal((await change(action)).status, 200);
  }
  const found = await eventually('every lead to be called', async () => {
    const { json } = await owner.get('leads?per_page=100');
    const leads = json['data'] as { phone_number: string; status: string }[];
    const isOver = leads.every(({ status }) => /^(completed|rescheduled|blacklisted)$/.test(status));
    const { rows } = await pool.query(
      "SELECT 1 FROM leads WHERE next_contact_id IS NOT NULL AND status = 'rescheduled'",
    );
    return isOver && rows.length === 0 ? leads : undefined;
  });
  assert.deepEqual(
    Object.fromEntries(found.reverse().map(({ phone_number, status }) => [phone_number, status])),
    expected,
  );

  // Nobody was called twice; one secondary contact was called.
  const { rows } = await pool.query<{ number: string; cost: number; busy: number }>(
    `SELECT client_phone_number AS number, total_cost::float AS cost, (
       SELECT count(*)::int FROM calls AS other WHERE other.campaign_id = calls.campaign_id
         AND other.end_reason <> 'not-started'
         AND other.created_at <= calls.created_at AND other.ended_at > calls.created_at) AS busy
     FROM calls WHERE campaign_id = $1 AND end_reason <> 'not-started'`,
    [campaign.id],
  );
  const numbers = rows.map(({ number }) => number);
  assert.deepEqual(numbers.toSorted(), [...Object.keys(expected), '+4989300103000'].sort());
  assert.ok(rows.every(({ busy }) => busy <= 2));
  const { balance, ledger } = await readMoney(service, owner.id);
  assert.equal(balance, ledger);
  assert.ok(Math.abs(10 - rows.reduce((sum, { cost }) => sum + cost, 0) - balance) < 1e-9);
});

test('pauses a campaign after an error of the carrier, whatever else happens', async (t) => {
  const error = new CarrierError('The telephone system refused the call.', { reason: 'carrier-error' });
  t.mock.method(SimulatedCarrier.prototype, 'dial', () => Promise.reject(error));
  const owner = await Owner.create(service, '10');
  const assistant = await owner.create('assistant', assistantBody());
  const { id: campaign_id } = await owner.create('campaigns', {
    name: 'Autumn',
    assistant_id: assistant.id,
    max_calls_in_parallel: 1,
  });
  for (const phone_number of ['+4989300100000', '+4989300101000'])
    await owner.create('lead', { phone_number, campaign_id });
  await owner.post('campaigns/update-status', { campaign_id, action: 'start' });
  await eventually('the end of the call to be handled', async () => {
    const { rowCount } = await pool.query(
      'SELECT 1 FROM calls WHERE campaign_id = $1 AND end_handled_at IS NOT NULL',
      [campaign_id],
    );
    return rowCount === 0 ? undefined : true;
  });
  await owner.create('lead', { phone_number: '+4989300102700', campaign_id });
  await eventually('the next step to be a minute away', async () => {
    const { rows } = await pool.query<{ seconds: number }>(
      `SELECT extract(epoch FROM start_after - now())::float AS seconds FROM jobs.job
       WHERE name = 'campaign-tick' AND singleton_key = $1 AND state < 'completed'`,
      [String(campaign_id)],
    );
    return rows.length === 1 && rows.every(({ seconds }) => seconds > 30) ? true : undefined;
  });
  const { rows } = await pool.query('SELECT end_reason FROM calls WHERE campaign_id = $1', [campaign_id]);
  assert.deepEqual(rows, [{ end_reason: 'carrier-error' }]);
});

test('stops a campaign when the balance is used up', async () => {
  const owner = await Owner.create(service, '0.25');
  const assistant = await owner.create('assistant', assistantBody());
  const campaign = await owner.create('campaigns', {
    name: 'Summer',
    assistant_id: assistant.id,
    max_calls_in_parallel: 1,
  });
  for (const phone_number of ['+4989300200000', '+4989300201000', '+4989300202000']) {
    await owner.create('lead', { phone_number, campaign_id: campaign.id });
  }
  await owner.post('campaigns/update-status', { campaign_id: campaign.id, action: 'start' });
  await eventually('the campaign to stop', async () => {
    const [listed] = JSON.parse((await owner.get('campaigns')).text) as Record<string, unknown>[];
    return listed?.['stop_reason'] === 'insufficient-balance' ? true : undefined;
  });
  assert.deepEqual(await readMoney(service, owner.id), { balance: 0.05, ledger: 0.05 });
  const { json } = await owner.get('leads?status=completed');
  assert.equal(json['total'], 2);
});

test('retries a lead whose goal is incomplete after the evaluation', async () => {
  const owner = await Owner.create(service, '1');
  const post_call_schema = [
    { name: 'won', type: 'bool', description: 'Whether they have bought something.' },
  ];
  const assistant = await owner.create('assistant', assistantBody({ post_call_schema }));
  const campaign = await owner.create('campaigns', {
    name: 'Autumn',
    assistant_id: assistant.id,
    retry_on_goal_incomplete: true,
    goal_completion_variable: 'won',
  });
  await owner.create('lead', { phone_number: '+4989300300000', campaign_id: campaign.id });
  await owner.post('campaigns/update-status', { campaign_id: campaign.id, action: 'start' });
  await eventually('another try', async () => {
    const { json } = await owner.get('leads?status=rescheduled');
    return json['total'] === 1 ? true : undefined;
  });
  const { json } = await owner.get('calls');
  assert.deepEqual(
    (json['data'] as Record<string, unknown>[]).map(({ status, variables }) => [status, variables]),
    [['completed', { won: null }]],
  );
});

test('deletes a campaign of any size at once, and its leads in steps that stay within the time of a statement', async () => {
  const owner = await Owner.create(service, '10');
  const assistant = await owner.create('assistant', assistantBody());
  const fields = { name: 'Winter', assistant_id: assistant.id };
  const campaign = await owner.create('campaigns', fields);
  const phone_number = '+4989300400000';
  await owner.create('lead', { campaign_id: (await owner.create('campaigns', fields)).id, phone_number });
  await pool.query(
    `WITH added AS (
       INSERT INTO leads (user_id, campaign_id, phone_number)
       SELECT $1, $2, '+4989' || 300500000 + n FROM generate_series(1, 2500) AS n RETURNING *)
     INSERT INTO calls (user_id, campaign_id, lead_id, assistant_name, type, status, ended_at, end_handled_at)
     SELECT user_id, campaign_id, id, 'Ada', 'outbound', 'completed', now(), now() FROM added`,
    [owner.id, campaign.id],
  );
  await pool.query("UPDATE campaigns SET status = 'in-progress' WHERE id = $1", [campaign.id]);
  await pool.query(`
    CREATE FUNCTION time_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT count(*) FROM changed) > 1000 THEN RAISE 'canceling statement due to statement timeout'; END IF;
      RETURN NULL; END $$;
    CREATE TRIGGER time_out AFTER DELETE ON leads REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION time_out();
    CREATE TRIGGER time_out AFTER UPDATE ON calls REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION time_out()`);
  const remove = () => owner.delete(`campaign/${campaign.id}`);
  assert.equal((await remove()).status, 200);
  assert.equal((await remove()).status, 404);
  const listed = JSON.parse((await owner.get('campaigns')).text) as { id: number }[];
  assert.equal(listed.length, 1);
  assert.equal((await owner.post('lead', { campaign_id: campaign.id, phone_number })).status, 422);
  await eventually('the last step', async () => {
    const { rows } = await pool.query('SELECT 1 FROM campaigns WHERE id = $1', [campaign.id]);
    return rows.length === 0;
  });
  const count = async (list: string) => (await owner.get(list)).json['total'];
  assert.deepEqual([await count('leads'), await count('calls')], [1, 2500]);
  const { rows: kept } = await pool.query(
    'SELECT DISTINCT campaign_id, lead_id FROM calls WHERE user_id = $1',
    [owner.id],
  );
  assert.deepEqual(kept, [{ campaign_id: null, lead_id: null }]);
});
