import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebhookDelivery } from '../../../src/contract/webhook.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import { eventually } from '../../support/eventually.ts';
import { atEnd, newDatabase, startService, testDatabase } from '../../support/service/service.ts';
import { createToolAssistant } from '../../support/records/tool-assistant.ts';
import { startWebhookReceiver, verify } from '../../support/servers/webhook-receiver.ts';

/** Two webhooks succeed, and three hang: as many as one owner may have at once. */
const chats = 5;

test('loses no webhook of a killed process, and repeats pending ones with the same id', async () => {
  const receiver = await startWebhookReceiver();
  atEnd(() => receiver.server.close());
  // The first two webhooks succeed; the others hang until the process is killed.
  const url = receiver.address(200, 200, 'hang');
  const env = { ...(await newDatabase()), ALLOW_PRIVATE_ADDRESSES: receiver.server.address };
  const first = await startService(env);
  const { uuid, owner } = await createToolAssistant(first, [], {
    tools: [{ type: 'end_call', description: 'When the customer says goodbye.' }],
    conversation_ended_webhook_url: url,
  });
  const secret = String((await owner.get('webhook-secret')).json['secret']);
  await first.running.close();

  const killed = await startServiceProcess({ ...env, WORKERS: 'on' });
  for (let chat = 0; chat < chats; chat++) {
    const { json } = await killed.send(await killed.open(uuid), 'Thanks, bye!');
    assert.equal(json['ended'], true);
  }
  await receiver.received(url, chats);
  killed.signal('SIGKILL');
  await killed.child.ended;
  const before = receiver.requests(url).length;

  receiver.answer(url, 200);
  // On a server, jobs are taken over after half a minute without a heartbeat; on an embedded database at once.
  if (testDatabase === 'postgres') {
    const withoutWorkers = await startService(env);
    await withoutWorkers.running.database.pool.query(
      "UPDATE jobs.job SET heartbeat_on = now() - interval '31 s', retry_delay = 0; UPDATE jobs.queue SET monitor_claim_on = NULL, monitor_on = NULL",
    );
    await withoutWorkers.running.close();
  }
  const next = await startService({ ...env, WORKERS: 'on', JOB_POLL_SECONDS: '0.5' });
  const log = await eventually('every delivery', async () => {
    const answer = await next.request('GET', '/api/user/webhook-deliveries', undefined, {
      Authorization: `Bearer ${owner.key}`,
    });
    const found = answer.json['data'] as WebhookDelivery[];
    return found.every(({ status }) => status === 'delivered') ? found : undefined;
  });
  assert.equal(log.length, chats);
  const requests = receiver.requests(url);
  for (const request of requests) verify(secret, request);
  const idsOf = (some: typeof requests) => some.map(({ headers }) => String(headers['webhook-id'])).sort();
  const ids = log.map(({ webhook_id: id }) => id).sort();
  assert.deepEqual(idsOf(requests.slice(0, before)), ids);
  // Only deliveries without a response were repeated.
  assert.equal(new Set(idsOf(requests.slice(before))).size, chats - 2);
  assert.equal(new Set(requests.map(({ body }) => body)).size, chats);
});
