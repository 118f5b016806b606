import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WebhookDelivery } from '../../src/contract/webhook.ts';
import { addCall } from '../support/records/add-records.ts';
import { verify } from '../support/servers/webhook-receiver.ts';
import {
  allAre,
  deliveries,
  receiver,
  refusedPort,
  startWebhookService,
  webhookService,
} from '../support/service/webhook-service.ts';

const { chat, createOwner, end, endCall, pool, service } = webhookService;

describe('a delivery', () => {
  test('is retried with the same id and a new signature until it succeeds', async () => {
    const url = receiver.address(500, 'cut', 302, 200);
    const it = await createOwner({ conversation_ended_webhook_url: url });
    await end((await chat(it, ['Hello'])).id);
    const requests = await receiver.received(url, 4);
    assert.equal(new Set(requests.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
    for (const request of requests) verify(it.secret, request);
    const [delivery] = await deliveries(it, allAre('delivered', 1));
    assert.deepEqual([delivery?.attempts, delivery?.response_status, delivery?.error], [4, 200, null]);
  });

  test('sends the user name and password of its address as a header', async () => {
    const url = receiver.address();
    const it = await createOwner({ conversation_ended_webhook_url: url.replace('://', '://anna:secret@') });
    await end((await chat(it, ['Hello'])).id);
    const [request] = await receiver.received(url, 1);
    const credentials = Buffer.from('anna:secret').toString('base64');
    assert.equal(request?.headers['authorization'], `Basic ${credentials}`);
  });

  const failures: [description: string, url: string, status: number | null, error: RegExp][] = [
    ['the receiver responds with 404', receiver.address(404), 404, /^null$/],
    ['the receiver is unreachable', `http://127.0.0.1:${refusedPort}/`, null, /could not be reached/],
    ['the address is private', 'http://127.0.0.1:1/', null, /private network/],
  ];
  for (const [description, url, status, error] of failures) {
    test(`fails after four attempts if ${description}`, async () => {
      const it = await createOwner({ conversation_ended_webhook_url: url });
      await end((await chat(it, ['Hello'])).id);
      const [delivery] = await deliveries(it, allAre('failed', 1));
      assert.deepEqual([delivery?.attempts, delivery?.response_status], [4, status]);
      assert.match(String(delivery?.error), error);
      assert.equal(delivery?.next_attempt_at, null);
    });
  }

  test('fails if the service could not attempt it for a week', async () => {
    const { createOwner, jobs, pool } = await startWebhookService({ JOB_POLL_SECONDS: '0.5' });
    const it = await createOwner();
    const { rows } = await pool.query<{ id: number }>(
      `INSERT INTO webhook_deliveries (webhook_id, user_id, event, url, payload, next_attempt_at)
       VALUES ('msg_lost', $1, 'call-ended', 'http://127.0.0.1:9/', '{}', now()) RETURNING id`,
      [it.owner.id],
    );
    const job = { deliveryId: rows[0]?.id ?? 0, attempt: 0 };
    await jobs.send('webhook-delivery', job, { startAfter: 3_600_000 });
    const { rows: sent } = await pool.query<{ id: string }>(
      `UPDATE jobs.job SET retry_count = retry_limit
       WHERE name = 'webhook-delivery' AND data ->> 'deliveryId' = $1 RETURNING id`,
      [String(job.deliveryId)],
    );
    await jobs.boss.fail('webhook-delivery', sent[0]?.id ?? '');
    const [delivery] = await deliveries(it, allAre('failed', 1));
    assert.deepEqual([delivery?.attempts, delivery?.error], [0, 'the service could not deliver it']);
  });

  test('can be sent again with the same id after it failed', async () => {
    const url = receiver.address(500, 500, 500, 500, 'cut', 200);
    const it = await createOwner({ conversation_ended_webhook_url: url });
    await end((await chat(it, ['Hello'])).id);
    const [failed] = await deliveries(it, allAre('failed', 1));
    const answer = await it.owner.post(`webhook-deliveries/${failed?.id}/redeliver`, {});
    assert.equal(answer.status, 200);
    assert.deepEqual(
      [answer.json['message'], (answer.json['data'] as WebhookDelivery).status],
      ['Webhook is being delivered again.', 'pending'],
    );
    const [delivered] = await deliveries(it, allAre('delivered', 1));
    assert.equal(delivered?.attempts, 6);
    const ids = receiver.requests(url).map(({ headers }) => headers['webhook-id']);
    assert.deepEqual([new Set(ids).size, ids.length], [1, 6]);
    await it.owner.post(`webhook-deliveries/${failed?.id}/redeliver`, {});
    await receiver.received(url, 7);
  });

  test('is sent again to the corrected address of its event', async () => {
    const [wrong, corrected] = [receiver.address(404), receiver.address()];
    const it = await createOwner({ conversation_ended_webhook_url: wrong });
    await end((await chat(it, ['Hello'])).id);
    const [failed] = await deliveries(it, allAre('failed', 1));
    const changed = { conversation_ended_webhook_url: corrected, usage_webhook_url: receiver.address() };
    await it.owner.put(`assistant/${it.id}`, changed);
    const { json } = await it.owner.post(`webhook-deliveries/${failed?.id}/redeliver`, {});
    assert.equal((json['data'] as WebhookDelivery).url, corrected);
    await receiver.received(corrected, 1);
    // Without an address, the stored one.
    await deliveries(it, allAre('delivered', 1));
    await it.owner.put(`assistant/${it.id}`, { conversation_ended_webhook_url: null });
    await it.owner.post(`webhook-deliveries/${failed?.id}/redeliver`, {});
    await receiver.received(corrected, 2);
  });

  test('is deleted with its call', async () => {
    const url = receiver.address();
    const it = await createOwner({ is_webhook_active: true, webhook_url: url });
    const id = await addCall(service, { userId: it.owner.id, assistantId: it.id, status: 'completed' });
    await endCall(id);
    await deliveries(it, allAre('delivered', 1));
    await it.owner.delete(`calls/${id}`);
    assert.deepEqual(await deliveries(it, () => true), []);
  });

  test('cannot be sent again while it is pending', async () => {
    const it = await createOwner({ conversation_ended_webhook_url: receiver.address() });
    await end((await chat(it, ['Hello'])).id);
    const [delivery] = await deliveries(it, allAre('delivered', 1));
    await pool.query("UPDATE webhook_deliveries SET status = 'pending' WHERE id = $1", [delivery?.id]);
    const { status, json } = await it.owner.post(`webhook-deliveries/${delivery?.id}/redeliver`, {});
    assert.deepEqual([status, json], [409, { message: 'The delivery is still pending.' }]);
    const missing = await it.owner.post('webhook-deliveries/999999/redeliver', {});
    assert.deepEqual([missing.status, missing.json], [404, { message: 'Webhook delivery not found.' }]);
  });
});

test('keeps the previous secret valid for a day after a rotation', async () => {
  const url = receiver.address();
  const it = await createOwner({ conversation_ended_webhook_url: url });
  assert.match(it.secret, /^whsec_[\w+/]{43}=$/);
  assert.equal((await it.owner.get('webhook-secret')).json['secret'], it.secret);
  const { json } = await it.owner.post('webhook-secret/rotate', {});
  const rotated = json['data'] as { secret: string; previous_expires_at: string };
  assert.notEqual(rotated.secret, it.secret);
  const overlap = Date.parse(rotated.previous_expires_at) - Date.now();
  assert.ok(overlap > 86_000_000 && overlap <= 86_400_000);
  await end((await chat(it, ['Hello'])).id);
  const [both] = await receiver.received(url, 1);
  for (const secret of [rotated.secret, it.secret]) verify(secret, both);

  await pool.query(
    'UPDATE webhook_secrets SET expires_at = now() WHERE user_id = $1 AND expires_at > now()',
    [it.owner.id],
  );
  await end((await chat(it, ['Hello'])).id);
  const [, one] = await receiver.received(url, 2);
  verify(rotated.secret, one);
  assert.throws(() => verify(it.secret, one));
});

test('lists deliveries in pages and applies all given filters', async () => {
  const url = receiver.address();
  const it = await createOwner({ conversation_ended_webhook_url: url });
  for (const text of ['One', 'Two', 'Three']) await end((await chat(it, [text])).id);
  const oldest = (await deliveries(it, allAre('delivered', 3))).at(-1);
  const find = async (query: string) => {
    const { json } = await it.owner.get(`webhook-deliveries?${query}`);
    return [json['total'], (json['data'] as WebhookDelivery[]).length];
  };
  assert.deepEqual(await find('per_page=2'), [3, 2]);
  assert.deepEqual(await find('per_page=2&page=2'), [3, 1]);
  assert.deepEqual(await find('per_page=100&date_from=0001-01-01'), [3, 3]);
  assert.deepEqual(await find('status=delivered&event=conversation-ended'), [3, 3]);
  assert.deepEqual(await find('status=failed'), [0, 0]);
  assert.deepEqual(await find('event=call-ended'), [0, 0]);
  assert.deepEqual(await find(`assistant_id=${it.id}`), [3, 3]);
  assert.deepEqual(await find('date_to=2020-01-01'), [0, 0]);
  assert.deepEqual(await find(`date_from=${oldest?.created_at.slice(0, 10)}`), [3, 3]);
  for (const query of [
    'status=lost',
    'event=chat',
    'assistant_id=x',
    'date_from=now',
    'date_from=0000-12-31',
    'per_page=101',
    'per_page=0',
  ]) {
    const { status, errors } = await it.owner.get(`webhook-deliveries?${query}`);
    assert.deepEqual([status, Object.keys(errors)], [422, [query.split('=')[0]]]);
  }
});
