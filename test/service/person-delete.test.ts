import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { moveMoney } from '../../src/service/billing/ledger.ts';
import { runCli } from '../../src/service/cli/run-cli.ts';
import { countForAssistant } from '../../src/service/usage/daily-usage.ts';
import { createAssistant, readMoney, startService, testDatabase } from '../support/service/service.ts';

const service = await startService();
const { database } = service.running;
const { pool } = database;

/** Opens a conversation with a customer, whose message a dead process was answering. */
async function abandon(uuid: string, customer: string): Promise<void> {
  const conversation = await service.open(uuid);
  await service.send(conversation, 'Lost');
  await pool.query('UPDATE conversations SET customer_identifier = $2 WHERE uuid = $1', [
    conversation,
    customer,
  ]);
  await pool.query(
    `UPDATE messages SET reply_state = 'pending', reply_owner = gen_random_uuid(),
       reply_lease_until = now() - interval '1 hour'
     WHERE role = 'user' AND conversation_id = (SELECT id FROM conversations WHERE uuid = $1)`,
    [conversation],
  );
}

test(
  'person delete refunds lost messages to several assistants while another message to one of them is stored',
  { skip: testDatabase === 'pglite' && 'an embedded database runs one transaction at a time' },
  async () => {
    const { uuid, userId } = await createAssistant(service, { balance: '1' });
    const second = await createAssistant(service, { userId });
    await abandon(uuid, 'Ada');
    await abandon(second.uuid, 'Ada');
    let output = '';
    const streams = { out: (text: string) => (output += text), err: (text: string) => (output += text) };
    let code: number | undefined;
    let deletion: Promise<void> | undefined;
    await database.transaction(async (tx) => {
      const limits = { maxMessagesPerDay: 9, maxVisitorMessagesPerDay: 9, maxTestMessagesPerDay: 9 };
      const source = {
        assistantId: second.id,
        type: 'widget',
        isPreview: false,
        visitor: undefined,
        limits,
      } as const;
      await countForAssistant(tx, source, { conversations: 0, messages: 1, answered: 1, stored: '' });
      const args = ['person', 'delete', '--customer', 'Ada', '--user', String(userId), '--yes'];
      deletion = runCli(args, {}, streams, database).then((exit) => void (code = exit));
      const isWaiting = async () =>
        (await pool.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length > 0;
      while (code === undefined && !(await isWaiting())) await delay(10);
      await moveMoney(tx, { userId, kind: 'charge', amount: '0.01' });
    });
    await deletion;
    assert.equal(code, 0, output);
    assert.match(output, /conversations: 2 deleted/);
    assert.deepEqual(await readMoney(service, userId), { balance: 0.99, ledger: 0.99 });
  },
);
