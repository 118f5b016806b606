import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDelivery } from '../../src/service/webhook/create-delivery.ts';
import { eventually } from '../support/eventually.ts';
import { allAre, deliveries, receiver, startWebhookService } from '../support/service/webhook-service.ts';

/* Receivers of webhooks that never respond. The other tests use a service that waits longer than they may take. */

const { chat, createOwner, end, jobs, pool, service, settled } = await startWebhookService({
  WEBHOOK_TIMEOUT_SECONDS: '1',
});

/** Waits until a job has created the delivery to an address. */
const created = (url: string) =>
  eventually('the delivery', async () => {
    const { rows } = await pool.query('SELECT 1 FROM webhook_deliveries WHERE url = $1', [url]);
    return rows.length === 1;
  });

test('a webhook arrives although 150 webhooks of another owner wait for a server that never responds', async () => {
  const silent = receiver.address('hang');
  const it = await createOwner();
  const { id: conversationId } = await chat(it, ['Hello']);
  const delivery = {
    userId: it.owner.id,
    assistantId: it.id,
    conversationId,
    event: 'conversation-ended',
    url: silent,
  } as const;
  const prompt = receiver.address();
  const other = await createOwner({ conversation_ended_webhook_url: prompt });
  const conversation = await chat(other, ['Hello']);
  await service.running.database.transaction(async (tx) => {
    for (let count = 0; count < 150; count++) {
      await createDelivery(tx, jobs, { ...delivery, payload: { count } });
    }
  });
  await end(conversation.id);
  await created(prompt);
  const before = receiver.requests(silent).length;
  await receiver.received(prompt, 1);
  // One more timeout of the silent server at most.
  assert.ok(receiver.requests(silent).length - before <= 10, String(receiver.requests(silent).length));
  await pool.query('DELETE FROM webhook_deliveries WHERE url = $1', [silent]);
  await settled();
});

test('the webhook about a visitor who waits for a person is sent before the other webhooks of its owner', async () => {
  const silent = receiver.address('hang');
  const desk = receiver.address();
  const it = await createOwner({ handoff_webhook_url: desk });
  const { uuid, id: conversationId } = await chat(it, ['Hello']);
  const delivery = {
    userId: it.owner.id,
    assistantId: it.id,
    conversationId,
    event: 'conversation-ended',
  } as const;
  await service.running.database.transaction(async (tx) => {
    for (let count = 0; count < 50; count++)
      await createDelivery(tx, jobs, { ...delivery, url: silent, payload: { count } });
  });
  await receiver.received(silent, 1);
  await service.send(uuid, 'Can I talk to a human, please?');
  await created(desk);
  const before = receiver.requests(silent).length;
  await receiver.received(desk, 1);
  // One more timeout of the silent server at most.
  assert.ok(receiver.requests(silent).length - before <= 6, String(receiver.requests(silent).length));
  await pool.query('DELETE FROM webhook_deliveries WHERE url = $1', [silent]);
  await settled();
});

test('a delivery fails after four attempts if the receiver does not respond in time', async () => {
  const it = await createOwner({ conversation_ended_webhook_url: receiver.address('hang') });
  await end((await chat(it, ['Hello'])).id);
  const [delivery] = await deliveries(it, allAre('failed', 1));
  assert.deepEqual(
    [delivery?.attempts, delivery?.response_status, delivery?.next_attempt_at],
    [4, null, null],
  );
  assert.match(String(delivery?.error), /did not answer in time/);
});

test('a webhook is delivered once to a receiver that accepts it, but does not end its response in time', async () => {
  // Long enough for the beginning of the response on a busy machine.
  const patient = await startWebhookService({ WEBHOOK_TIMEOUT_SECONDS: '5' });
  const url = receiver.address('endless');
  const it = await patient.createOwner({ conversation_ended_webhook_url: url });
  await patient.end((await patient.chat(it, ['Hello'])).id);
  const [delivery] = await deliveries(it, (found) => found.some(({ attempts }) => attempts > 0));
  assert.deepEqual(
    [delivery?.status, delivery?.response_status, delivery?.response_body, delivery?.error],
    ['delivered', 200, 'accepted', null],
  );
  await patient.settled();
  assert.equal(receiver.requests(url).length, 1);
});
