import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { moveMoney } from '../../src/service/billing/ledger.ts';
import { runCli } from '../../src/service/cli/run-cli.ts';
import { countForAssistant } from '../../src/service/usage/daily-usage.ts';
import { CampaignRun } from '../support/records/campaign-run.ts';
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

/** Runs a command of a person's data. */
async function runPerson(command: 'export' | 'delete', phone: string) {
  let output = '';
  const streams = { out: (text: string) => (output += text), err: (text: string) => (output += text) };
  const args = ['person', command, '--phone', phone, ...(command === 'delete' ? ['--yes'] : [])];
  return { code: await runCli(args, {}, streams, database), output };
}

describe("the lead's data in a call to its contact is exported and deleted after", () => {
  let last = 4989200770000;
  const changes: [name: string, change: (run: CampaignRun, lead: number) => Promise<{ status: number }>][] = [
    ['the lead was deleted', (run, lead) => run.owner.delete(`leads/${lead}`)],
    ['the campaign was deleted', (run) => run.owner.delete(`campaign/${run.id}`)],
    [
      'the number of the lead was changed',
      (run, lead) => run.owner.put(`leads/${lead}`, { phone_number: `+${(last += 1)}` }),
    ],
  ];
  for (const [name, change] of changes) {
    test(name, async () => {
      const [phone, contact] = [`+${(last += 1)}`, `+${(last += 1)}`];
      const run = await CampaignRun.start(service);
      const lead = await run.add(phone, [contact]);
      await run.tick();
      const [missedId] = await run.openCalls();
      await run.end({ status: 'busy' });
      // So that only the call to the contact has data about the lead.
      assert.equal((await run.owner.delete(`calls/${missedId}`)).status, 200);
      assert.deepEqual(await run.called(), [contact]);
      const [callId] = await run.openCalls();
      await run.end();
      await pool.query(
        `INSERT INTO webhook_deliveries (webhook_id, user_id, call_id, event, url, payload)
         VALUES (gen_random_uuid(), $1, $2, 'call-ended', 'https://shop.example', $3)`,
        [run.owner.id, callId, { lead: { phone_number: phone }, transcript: 'AI: Hello' }],
      );
      assert.equal((await change(run, lead)).status, 200);
      const exported = await runPerson('export', phone);
      assert.equal(exported.code, 0, exported.output);
      assert.partialDeepStrictEqual(JSON.parse(exported.output), {
        calls_to_contacts: [
          {
            id: callId,
            input_variables: { name: 'Ada' },
            webhooks: [{ payload: { lead: { phone_number: phone } } }],
          },
        ],
      });
      const deleted = await runPerson('delete', phone);
      assert.equal(deleted.code, 0);
      assert.match(deleted.output, /^calls to contacts: 1 changed$/m);
      assert.deepEqual(await runPerson('export', phone), {
        code: 1,
        output: 'There is no data about this person.',
      });
      const { rows } = await pool.query<{ stored: string }>(
        `SELECT to_jsonb(calls)::text || coalesce((SELECT string_agg(payload, '') FROM webhook_deliveries
           WHERE call_id = calls.id), '') AS stored FROM calls WHERE user_id = $1`,
        [run.owner.id],
      );
      assert.equal(rows.length, 1);
      assert.doesNotMatch(rows[0]?.stored ?? '', new RegExp(`Ada|${phone.slice(1)}`));
      const { json } = await run.owner.get('audit-log');
      assert.partialDeepStrictEqual(json['data'], [{ operation: 'person delete' }]);
    });
  }
});

test('finds the conversations of a phone number in any international notation, not those of similar numbers', async () => {
  const { id } = await createAssistant(service);
  const theirs = [
    '+4989200780000',
    '49 89 200 780-000',
    '0049 (89) 200780000',
    '(0049) 89/200 780 000',
    '+49 (0)89 200.780.000',
    'whatsapp:+4989200780000',
    'tel:+49-89-200-780-000',
  ];
  const others = [
    // This could be the number of another country.
    '(0)4989200780000',
    '089 200780000',
    '+498920078000',
    '+49892007800000',
    'customer:4989200780000',
    'Ada +4989200780000',
  ];
  await pool.query(
    `INSERT INTO conversations (uuid, assistant_id, type, customer_identifier)
     SELECT gen_random_uuid(), $1, 'widget', identifier FROM unnest($2::text[]) AS identifier`,
    [id, [...theirs, ...others]],
  );
  const exported = await runPerson('export', '+4989200780000');
  assert.equal(exported.code, 0, exported.output);
  const found = JSON.parse(exported.output) as { conversations: { customer_identifier: string }[] };
  assert.deepEqual(
    found.conversations.map((conversation) => conversation.customer_identifier),
    theirs,
  );
  // When the service checks them next is not about the person, and changes at any time.
  assert.doesNotMatch(exported.output, /inactivity_check_at/);
  for (const notation of ['+49 (0)89 200780000', '+49 (0) 89/200-780 00.0'])
    assert.deepEqual(await runPerson('export', notation), exported, notation);
  const deleted = await runPerson('delete', '+4989200780000');
  assert.match(deleted.output, /^conversations: 7 deleted$/m);
});

test('counts and deletes the web calls of a conversation, as exported', async () => {
  const { uuid, userId } = await createAssistant(service);
  const conversation = await service.open(uuid);
  await pool.query(
    `INSERT INTO calls (user_id, assistant_id, conversation_id, assistant_name, type, status, transcript)
     SELECT $1, assistant_id, id, 'Kim', 'web', 'completed', 'AI: Hello' FROM conversations WHERE uuid = $2`,
    [userId, conversation],
  );
  const run = async (command: string, ...rest: string[]) => {
    let output = '';
    const streams = { out: (text: string) => (output += text), err: (text: string) => (output += text) };
    const args = ['person', command, '--conversation', conversation, '--json', ...rest];
    await runCli(args, {}, streams, database);
    return JSON.parse(output) as { calls: unknown };
  };
  assert.partialDeepStrictEqual(await run('export'), { calls: [{ transcript: 'AI: Hello' }] });
  assert.partialDeepStrictEqual(await run('delete', '--yes'), { conversations: 1, calls: 1 });
  const { rows } = await pool.query('SELECT 1 FROM calls WHERE user_id = $1', [userId]);
  assert.equal(rows.length, 0);
});
