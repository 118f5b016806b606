import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebhookDisabledWebhook } from '../../src/contract/webhook.ts';
import { addCall } from '../support/records/add-records.ts';
import { readAssistant } from '../support/records/assistant-body.ts';
import { verify } from '../support/servers/webhook-receiver.ts';
import { deliveries, receiver, webhookService } from '../support/service/webhook-service.ts';
import type { WithAssistant } from '../support/service/webhook-service.ts';

const { chat, createOwner, end, endCall, pool, service } = webhookService;

const failing = [500, 500, 500, 500];

/** Lets an address have failed for a number of days, with a number of failed deliveries. */
const hasFailed = (url: string, days: number, failures: number) =>
  pool.query(
    `UPDATE failing_webhook_urls SET failures = $3, failing_since = now() - $2 * interval '1 day' WHERE url = $1`,
    [url, days, failures],
  );

/** Ends a chat, and waits until its webhook failed. */
async function fail(it: WithAssistant) {
  const before = (await deliveries(it, () => true)).filter(({ event }) => event === 'conversation-ended');
  await end((await chat(it, ['Hello'])).id);
  const isDone = (found: typeof before) => {
    const ended = found.filter(({ event }) => event === 'conversation-ended');
    return ended.length > before.length && ended.every(({ status }) => status !== 'pending');
  };
  const [newest] = (await deliveries(it, isDone)).filter(({ event }) => event === 'conversation-ended');
  return newest;
}

const disabledUrls = async ({ owner, id }: WithAssistant) =>
  (await readAssistant(owner, id))['disabled_webhook_urls'];

/** Creates an owner whose webhook address was disabled. */
async function createDisabled(url = receiver.address(500)) {
  const notices = receiver.address();
  const it = await createOwner({ conversation_ended_webhook_url: url, usage_webhook_url: notices });
  await fail(it);
  await hasFailed(url, 5, 9);
  assert.deepEqual(await disabledUrls(it), []);
  assert.equal((await fail(it))?.attempts, 4);
  return { ...it, url, notices };
}

test('an address whose deliveries all failed for five days is disabled, and its owner is notified', async () => {
  const it = await createDisabled();
  assert.deepEqual(await disabledUrls(it), [it.url]);
  const [notice] = await receiver.received(it.notices, 1);
  const body = verify(it.secret, notice);
  assert.ok(WebhookDisabledWebhook.safeParse(body).success);
  const { failing_since, disabled_at, ...rest } = body as WebhookDisabledWebhook;
  assert.deepEqual(rest, { disabled_webhook_url: it.url, assistant_ids: [it.uuid], failed_deliveries: 10 });
  assert.ok(Date.parse(disabled_at) - Date.parse(failing_since) >= 5 * 86_400_000);

  const attempts = receiver.requests(it.url).length;
  const delivery = await fail(it);
  assert.deepEqual([delivery?.status, delivery?.attempts, delivery?.next_attempt_at], ['failed', 0, null]);
  assert.match(
    String(delivery?.error),
    /^the address is disabled since \d{4}-.*; set it again to enable it$/,
  );
  assert.equal(receiver.requests(it.url).length, attempts);
  assert.equal(receiver.requests(it.notices).length, 1);
});

test('the notice about an address does not contain its user name and password', async () => {
  const address = receiver.address(500);
  const it = await createDisabled(address.replace('://', '://anna:secret@'));
  const [notice] = await receiver.received(it.notices, 1);
  const body = verify(it.secret, notice) as WebhookDisabledWebhook;
  assert.equal(body.disabled_webhook_url, address);
});

test("a call's record says that its webhook was not sent to a disabled address", async () => {
  const it = await createDisabled();
  const set = await it.owner.put(`assistant/${it.id}`, {
    llm_model_id: 1,
    is_webhook_active: true,
    webhook_url: it.notices,
  });
  assert.equal(set.status, 200, set.text);
  await pool.query('UPDATE assistants SET webhook_url = $1 WHERE id = $2', [it.url, it.id]);
  const id = await addCall(service, { userId: it.owner.id, assistantId: it.id, status: 'completed' });
  await endCall(id);
  await deliveries(it, (found) => found.some(({ call_id }) => call_id === id));
  const { rows } = await pool.query<{ webhook_response: { error: string } }>(
    'SELECT webhook_response FROM calls WHERE id = $1',
    [id],
  );
  assert.match(rows[0]?.webhook_response.error ?? '', /^the address is disabled since/);
});

const enabling: [
  description: string,
  enable: (it: Awaited<ReturnType<typeof createDisabled>>) => Promise<unknown>,
][] = [
  [
    'is set again with the same value',
    ({ owner, id, url }) =>
      owner.put(`assistant/${id}`, { llm_model_id: 1, conversation_ended_webhook_url: url }),
  ],
  [
    'is enabled with enable-conversation-ended-webhook',
    ({ owner, id, url }) =>
      owner.post('assistants/enable-conversation-ended-webhook', { assistant_id: id, webhook_url: url }),
  ],
  [
    'accepts a webhook that was sent again by hand',
    async (it) => {
      receiver.answer(it.url, 200);
      const [delivery] = await deliveries(it, () => true);
      await it.owner.post(`webhook-deliveries/${delivery?.id}/redeliver`, {});
      await deliveries(it, (found) =>
        found.some(({ id, status }) => id === delivery?.id && status === 'delivered'),
      );
    },
  ],
];
for (const [description, enable] of enabling) {
  test(`a disabled address is enabled when it ${description}`, async () => {
    const it = await createDisabled();
    await fail(it);
    await enable(it);
    assert.deepEqual(await disabledUrls(it), []);
    receiver.answer(it.url, 200);
    const delivery = await fail(it);
    assert.equal(delivery?.status, 'delivered');
  });
}

const tolerated: [description: string, days: number, failures: number][] = [
  ['nine deliveries', 30, 9],
  ['the deliveries of less than five days', 4.99, 500],
];
for (const [description, days, failures] of tolerated) {
  test(`an address is not disabled if only ${description} failed`, async () => {
    const url = receiver.address(...failing, ...failing, 200);
    const it = await createOwner({ conversation_ended_webhook_url: url });
    await fail(it);
    await hasFailed(url, days, failures - 1);
    await fail(it);
    assert.deepEqual(await disabledUrls(it), []);
    // A success starts the count again.
    assert.equal((await fail(it))?.status, 'delivered');
    const { rows } = await pool.query('SELECT 1 FROM failing_webhook_urls WHERE url = $1', [url]);
    assert.equal(rows.length, 0);
  });
}

test('no chat is handed over to a person while the address that would notify them is disabled', async () => {
  const { owner, id, uuid, url } = await createDisabled();
  await pool.query('UPDATE assistants SET handoff_webhook_url = $1 WHERE id = $2', [url, id]);
  const isAnswered = async () => {
    const { uuid: conversation } = await chat({ uuid }, ['I would like to talk to a human, please.']);
    return (await service.get(`/api/conversations/${conversation}`)).json['ai_enabled'];
  };
  assert.equal(await isAnswered(), true);
  await owner.put(`assistant/${id}`, { handoff_webhook_url: url });
  assert.equal(await isAnswered(), false);
});

test('an address is not disabled for two outages with more than two days between them', async () => {
  const url = receiver.address(500);
  const it = await createOwner({ conversation_ended_webhook_url: url });
  await fail(it);
  await hasFailed(url, 5, 9);
  await pool.query(
    "UPDATE failing_webhook_urls SET last_failure_at = now() - interval '49 hours' WHERE url = $1",
    [url],
  );
  await fail(it);
  assert.deepEqual(await disabledUrls(it), []);
  const { rows } = await pool.query('SELECT failures FROM failing_webhook_urls WHERE url = $1', [url]);
  assert.deepEqual(rows, [{ failures: 1 }]);
});

test('setting an address that is not disabled again does not restart the count', async () => {
  const url = receiver.address(500);
  const it = await createOwner({ conversation_ended_webhook_url: url });
  await fail(it);
  await hasFailed(url, 5, 9);
  await it.owner.put(`assistant/${it.id}`, { llm_model_id: 1, conversation_ended_webhook_url: url });
  await fail(it);
  assert.deepEqual(await disabledUrls(it), [url]);
});

test('pending deliveries to an address that is disabled are not attempted again', async () => {
  const url = receiver.address(500);
  const it = await createOwner({ conversation_ended_webhook_url: url });
  await fail(it);
  await hasFailed(url, 5, 9);
  await pool.query(
    `INSERT INTO webhook_deliveries (webhook_id, user_id, event, url, payload, attempts, failures, next_attempt_at)
     VALUES (gen_random_uuid(), $1, 'call-ended', $2, '{}', 1, 1, now() + interval '1 minute')`,
    [it.owner.id, url],
  );
  await fail(it);
  const found = await deliveries(it, (all) => all.every(({ status }) => status === 'failed'));
  const waiting = found.find(({ event }) => event === 'call-ended');
  assert.deepEqual([waiting?.attempts, waiting?.next_attempt_at], [1, null]);
  assert.match(String(waiting?.error), /^the address is disabled since/);
});

test('a disabled address stays enabled for other owners, whose server may accept their webhooks', async () => {
  const it = await createDisabled();
  const other = await createOwner({ conversation_ended_webhook_url: it.url });
  assert.equal((await fail(other))?.attempts, 4);
  assert.deepEqual(await disabledUrls(other), []);
});
