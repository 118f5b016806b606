import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { startServiceProcess } from '../support/service/service-process.ts';
import { newDatabase, startService, testDatabase } from '../support/service/service.ts';
import { waitFor } from '../support/records/simulated-numbers.ts';

const minute = 60_000;

/** Options that make a Node process believe in a time that many minutes from now. */
function shiftedClock(minutes: number): string {
  const script = `const Real = Date;
    globalThis.Date = class Date extends Real {
      constructor(...given) { if (given.length > 0) super(...given); else super(Date.now()); }
      static now() { return Real.now() + ${minutes * minute}; }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}

/** `H:i` in UTC, that many minutes from now. */
const hourIn = (minutes: number) => new Date(Date.now() + minutes * minute).toISOString().slice(11, 16);

// An embedded database has no clock but that of its process.
const skip = testDatabase === 'pglite';

for (const [what, minutes] of [
  ['an hour slow', -60],
  ['an hour fast', 60],
] as const) {
  test(
    `a campaign keeps its hours and its retry times when the clock of a process is ${what}`,
    { skip },
    async () => {
      const env = { ...(await newDatabase()), CARRIER_SECONDS: '0', JOB_POLL_SECONDS: '0.5' };
      const here = await startService({ ...env, WORKERS: 'off' });
      const owner = await Owner.create(here, '10');
      const assistant = await owner.create('assistant', assistantBody());
      const hours = { timezone: 'UTC', retry_interval: 10 };
      const open = await owner.create('campaigns', {
        ...{ name: 'Now', assistant_id: assistant.id, ...hours },
        ...{ allowed_hours_start_time: hourIn(-20), allowed_hours_end_time: hourIn(20) },
      });
      const closed = await owner.create('campaigns', {
        ...{ name: 'Elsewhen', assistant_id: assistant.id, ...hours },
        ...{ allowed_hours_start_time: hourIn(minutes - 20), allowed_hours_end_time: hourIn(minutes + 20) },
      });
      // The digits decide: the first is reached, the second does not answer.
      for (const phone_number of ['+4989300100000', '+4989300100085']) {
        for (const { id } of [closed, open]) await owner.create('lead', { phone_number, campaign_id: id });
      }
      for (const { id } of [closed, open]) {
        await owner.post('campaigns/update-status', { campaign_id: id, action: 'start' });
      }
      const process = await startServiceProcess({ ...env, NODE_OPTIONS: shiftedClock(minutes) });
      const leadsOf = async (id: number) =>
        (await owner.get(`leads?campaign_id=${id}`)).json['data'] as { id: number; status: string }[];
      const [missed] = await waitFor('both leads to be called', async () => {
        const leads = await leadsOf(open.id);
        const statuses = leads.map(({ status }) => status);
        return statuses.join() === 'rescheduled,completed' ? leads : undefined;
      });
      const { rows } = await here.running.database.pool.query<{ minutes: number }>(
        'SELECT extract(epoch FROM next_try_at - now())::float / 60 AS minutes FROM leads WHERE id = $1',
        [missed?.id],
      );
      assert.ok(Number(rows[0]?.minutes) > 9 && Number(rows[0]?.minutes) <= 10, String(rows[0]?.minutes));
      assert.deepEqual(
        (await leadsOf(closed.id)).map(({ status }) => status),
        ['scheduled', 'scheduled'],
      );
      await process.stop();
    },
  );
}
