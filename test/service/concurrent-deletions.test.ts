import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pool, PoolClient } from 'pg';
import { chargeTransfer } from '../../src/service/call/transfer/charge-transfer.ts';
import { startPhoneService } from '../support/calls/phone-service.ts';
import { deletePerson } from '../../src/service/person/person.ts';
import { eventually } from '../support/eventually.ts';
import { addCall, addCampaign } from '../support/records/add-records.ts';
import { startPausedWebhookReceiver } from '../support/servers/paused-webhook-receiver.ts';
import { atEnd, createAssistant, readMoney, testDatabase } from '../support/service/service.ts';
import {
  deliveries,
  receiver,
  startWebhookService,
  webhookService,
} from '../support/service/webhook-service.ts';

const { chat, createOwner, endCall, jobs, pool, service } = webhookService;
const { database } = service.running;

/** Locks a row, as its deletion does, while `work` runs. In a deadlock, this transaction fails. */
async function lockDuring(
  [table, id]: ['calls' | 'conversations' | 'leads' | 'messages', number],
  work: (client: PoolClient) => Promise<unknown>,
  at: Pool = pool,
): Promise<void> {
  const client = await at.connect();
  try {
    await client.query("BEGIN; SET LOCAL deadlock_timeout = '1ms'");
    await client.query(`SELECT 1 FROM ${table} WHERE id = $1 FOR UPDATE`, [id]);
    await work(client);
    await client.query('COMMIT');
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const someoneWaits = async () =>
  (await pool.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length > 0;

/** Stores a call to a lead; returns the ids of both. */
async function addLeadCall(
  it: Awaited<ReturnType<typeof createOwner>>,
  status: 'completed' | 'in-progress',
  phone = '+4989200100',
) {
  const campaign = await addCampaign(it.owner);
  const lead = await it.owner.create('lead', { phone_number: phone, campaign_id: campaign.id });
  const more = {
    status,
    clientPhoneNumber: phone,
    campaignId: campaign.id,
    campaignName: 'Spring',
    leadId: lead.id,
  };
  return {
    lead: lead.id,
    call: await addCall(service, { userId: it.owner.id, assistantId: it.id, ...more }),
  };
}

describe('while a record is deleted', { skip: testDatabase === 'pglite' && 'one connection' }, () => {
  test('the leases of other calls and replies are renewed', async () => {
    const phone = await startPhoneService({ REPLY_LEASE_SECONDS: '3' });
    const { uuid } = await createAssistant(phone.service);
    const gate = Promise.withResolvers<undefined>();
    phone.model.behave({ gate: gate.promise, chunks: ['Yes.'] });
    const calls = [await phone.connect(), await phone.connect()];
    const sent: Promise<unknown>[] = [];
    for (const text of ['One', 'Two']) sent.push(phone.service.send(await phone.service.open(uuid), text));
    const messages = await eventually('the messages', async () => {
      const { rows } = await phone.pool.query<{ id: string }>(
        "SELECT id FROM messages WHERE reply_state = 'pending'",
      );
      return rows.length === 2 && rows.map(({ id }) => Number(id));
    });
    for (const [table, column, ids] of [
      ['calls', 'lease_until', calls.map(({ id }) => id)],
      ['messages', 'reply_lease_until', messages],
    ] as const) {
      const secondsLeft = async (id: number) => {
        const { rows } = await phone.pool.query<{ left: number }>(
          `SELECT extract(epoch FROM ${column} - now())::float AS left FROM ${table} WHERE id = $1`,
          [id],
        );
        return rows[0]?.left ?? 0;
      };
      for (const [locked = 0, other = 0] of [ids, ids.toReversed()]) {
        const work = async () => {
          // No renewal from before the lock is running any more.
          await eventually('an older lease', async () => (await secondsLeft(locked)) < 2.4);
          await eventually('a renewal', async () => (await secondsLeft(other)) > 2.6);
        };
        await lockDuring([table, locked], work, phone.pool);
      }
    }
    gate.resolve(undefined);
    await Promise.all(sent);
    for (const { line } of calls) line.hangsUp();
    await Promise.all(calls.map(({ over }) => over));
  });

  test('a transferred call to a lead is charged, and the lead is deleted', async () => {
    const it = await createOwner();
    const { call, lead } = await addLeadCall(it, 'in-progress');
    await lockDuring(['leads', lead], async (client) => {
      await chargeTransfer({ database, jobs }, call, 130);
      await client.query('DELETE FROM leads WHERE id = $1', [lead]);
    });
    const { json } = await it.owner.get(`calls/${call}`);
    assert.deepEqual([json['duration'], json['total_cost'], json['carrier_cost']], [130, 0.3, 0.15]);
    assert.deepEqual(await readMoney(service, it.owner.id), { balance: 4.7, ledger: 4.7 });
  });

  test('a person with this number is deleted', async () => {
    const phone = '+4989200177';
    const { lead } = await addLeadCall(await createOwner(), 'completed', phone);
    let deletion: ReturnType<typeof deletePerson> | undefined;
    await lockDuring(['leads', lead], async (client) => {
      deletion = database.db.transaction((tx) => deletePerson({ tx, jobs }, { phone }));
      await eventually('the deletion of the person', someoneWaits);
      await client.query('DELETE FROM leads WHERE id = $1', [lead]);
    });
    assert.equal((await deletion)?.calls, 1);
  });

  test('the end of a call to a lead is handled although its webhook address is disabled', async () => {
    const url = receiver.address();
    const it = await createOwner({ is_webhook_active: true, webhook_url: url });
    await pool.query('INSERT INTO failing_webhook_urls (user_id, url, disabled_at) VALUES ($1, $2, now())', [
      it.owner.id,
      url,
    ]);
    const { call, lead } = await addLeadCall(it, 'completed');
    await lockDuring(['leads', lead], async (client) => {
      await endCall(call);
      await eventually('the delivery', async () => {
        const { rows } = await pool.query('SELECT 1 FROM webhook_deliveries WHERE call_id = $1', [call]);
        return rows.length > 0;
      });
      await client.query('DELETE FROM leads WHERE id = $1', [lead]);
    });
    const { json } = await it.owner.get(`calls/${call}`);
    assert.match(JSON.stringify(json['webhook_response']), /the address is disabled since/);
  });

  test('the outcome of its webhook is not stored', async () => {
    const paused = await startPausedWebhookReceiver();
    atEnd(() => paused.server.close());
    const other = await startWebhookService({ ALLOW_PRIVATE_ADDRESSES: paused.server.address });
    const it = await other.createOwner({ is_webhook_active: true, webhook_url: paused.server.url });
    const id = await addCall(other.service, { userId: it.owner.id, assistantId: it.id, status: 'completed' });
    await other.endCall(id);
    await eventually('the delivery', () => paused.waiting() === 1);
    await lockDuring(
      ['calls', id],
      async (client) => {
        paused.answer();
        await eventually('the outcome', someoneWaits);
        await client.query('DELETE FROM calls WHERE id = $1', [id]);
      },
      other.pool,
    );
    assert.deepEqual(await deliveries(it, () => true), []);
  });

  test('the notice of a handoff ends without a webhook', async () => {
    const it = await createOwner({ handoff_webhook_url: receiver.address() });
    const { id } = await chat(it, ['Hello']);
    const { rows } = await pool.query<{ id: string }>(
      "SELECT id FROM messages WHERE conversation_id = $1 AND role = 'user'",
      [id],
    );
    const messageId = Number(rows[0]?.id);
    await lockDuring(['conversations', id], async (client) => {
      await jobs.send('handoff-notice', { messageId, reason: 'message' });
      await eventually('the notice', someoneWaits);
      await client.query('DELETE FROM conversations WHERE id = $1', [id]);
    });
    const job = await eventually('the end of the job', async () => {
      const found = await jobs.boss.findJobs('handoff-notice', { key: String(messageId) });
      return found.find(({ state }) => state !== 'active' && state !== 'created');
    });
    assert.deepEqual([job.state, job.retryCount], ['completed', 0]);
  });
});
