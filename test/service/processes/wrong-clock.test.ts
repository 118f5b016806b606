import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistantBody } from '../../support/records/assistant-body.ts';
import { shiftedClock } from '../../support/process/shifted-clock.ts';
import { Owner } from '../../support/records/owner.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import { startWebhookReceiver, verify } from '../../support/servers/webhook-receiver.ts';
import { createToolAssistant } from '../../support/records/tool-assistant.ts';
import { atEnd, newDatabase, startService, testDatabase } from '../../support/service/service.ts';
import { eventually } from '../../support/eventually.ts';
import { utcDay } from '../../support/utc-day.ts';

const minute = 60_000;

/** `H:i` in UTC, the given minutes from now. */
const timeIn = (minutes: number) => new Date(Date.now() + minutes * minute).toISOString().slice(11, 16);

/** Starts a receiver of webhooks, and a service that may call it. */
async function startWithReceiver() {
  const receiver = await startWebhookReceiver();
  atEnd(() => receiver.server.close());
  const env = { ...(await newDatabase()), ALLOW_PRIVATE_ADDRESSES: receiver.server.address };
  return { receiver, url: receiver.address(200), env, api: await startService(env) };
}

// An embedded database uses the clock of its process.
const skip = testDatabase === 'pglite';

for (const [description, minutes, days] of [
  ['an hour slow', -60, 'two days slow'],
  ['an hour fast', 60, 'two days fast'],
] as const) {
  test(
    `applies calling hours and retry times by the database's clock if that of a process is ${description}`,
    { skip },
    async () => {
      const env = { ...(await newDatabase()), CARRIER_SECONDS: '0', JOB_POLL_SECONDS: '0.5' };
      const api = await startService({ ...env, WORKERS: 'off' });
      const owner = await Owner.create(api, '10');
      const assistant = await owner.create('assistant', assistantBody());
      const hours = { timezone: 'UTC', retry_interval: 10 };
      const open = await owner.create('campaigns', {
        ...{ name: 'Now', assistant_id: assistant.id, ...hours },
        ...{ allowed_hours_start_time: timeIn(-20), allowed_hours_end_time: timeIn(20) },
      });
      const closed = await owner.create('campaigns', {
        ...{ name: 'Later', assistant_id: assistant.id, ...hours },
        ...{ allowed_hours_start_time: timeIn(minutes - 20), allowed_hours_end_time: timeIn(minutes + 20) },
      });
      // The digits determine the outcome: the first number answers, the second does not.
      for (const phone_number of ['+4989300100000', '+4989300100085']) {
        for (const { id } of [closed, open]) await owner.create('lead', { phone_number, campaign_id: id });
      }
      for (const { id } of [closed, open]) {
        await owner.post('campaigns/update-status', { campaign_id: id, action: 'start' });
      }
      const process = await startServiceProcess({ ...env, NODE_OPTIONS: shiftedClock(minutes) });
      const leadsOf = async (id: number) =>
        (await owner.get(`leads?campaign_id=${id}`)).json['data'] as { id: number; status: string }[];
      const [missed] = await eventually('both leads to be called', async () => {
        const leads = await leadsOf(open.id);
        const statuses = leads.map(({ status }) => status);
        return statuses.join() === 'rescheduled,completed' ? leads : undefined;
      });
      const { rows } = await api.running.database.pool.query<{ minutes: number }>(
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

  test(
    `signs webhooks with the database's time if the clock of a process is ${description}`,
    { skip },
    async () => {
      const { receiver, url, env, api } = await startWithReceiver();
      const { uuid, owner } = await createToolAssistant(api, [], {
        tools: [{ type: 'end_call', description: 'When the customer says goodbye.' }],
        conversation_ended_webhook_url: url,
      });
      const secret = String((await owner.get('webhook-secret')).json['secret']);
      const process = await startServiceProcess({ ...env, NODE_OPTIONS: shiftedClock(minutes) });
      await process.send(await process.open(uuid), 'Thanks, bye!');
      const [delivered] = await receiver.received(url, 1);
      verify(secret, delivered);
      await process.stop();
    },
  );

  test(
    `names the database's day in webhooks at a limit if the clock of a process is ${days}`,
    { skip },
    async () => {
      const { receiver, url, env, api } = await startWithReceiver();
      const { uuid } = await createToolAssistant(api, [], {
        usage_webhook_url: url,
        max_messages_per_day: 1,
      });
      const process = await startServiceProcess({ ...env, NODE_OPTIONS: shiftedClock(48 * minutes) });
      const today = await utcDay();
      await process.send(await process.open(uuid), 'Hello');
      const [delivered] = await receiver.received(url, 1);
      const { day } = JSON.parse(delivered?.body ?? '') as { day?: string };
      assert.equal(day, today);
      await process.stop();
    },
  );
}
