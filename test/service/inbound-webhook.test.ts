import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eq } from 'drizzle-orm';
import { InboundCallWebhook } from '../../src/contract/webhook.ts';
import { calls } from '../../src/service/db/calls-table.ts';
import { webhookDeliveries } from '../../src/service/db/webhooks-tables.ts';
import { createLog } from '../../src/service/log.ts';
import { AllowedAddresses } from '../../src/service/outgoing/allowed-addresses.ts';
import { createFetchGuarded } from '../../src/service/outgoing/fetch-guarded.ts';
import { askInboundWebhook } from '../../src/service/webhook/ask-inbound-webhook.ts';
import { addCall } from '../support/records/add-records.ts';
import { assistantBody } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { verify } from '../support/servers/webhook-receiver.ts';
import { atEnd, startService } from '../support/service/service.ts';

/** Answers with the text in the address, or with the status there; `/hang` gets no answer. */
const receiver = await startLoopbackServer(({ path }, response) => {
  const [, kind, text = ''] = path.split('/').map(decodeURIComponent);
  if (kind === 'hang') return undefined;
  response.statusCode = kind === 'text' ? 200 : Number(kind);
  response.setHeader('Location', '/text/%7B%7D');
  response.end(text);
  return undefined;
});
atEnd(() => receiver.close());
const service = await startService();
const { database } = service.running;
const { db } = database;
const fetch = createFetchGuarded(new AllowedAddresses([receiver.address]));
const ask = (callId: number) => askInboundWebhook({ database, fetch, log: createLog('silent') }, callId);

/** A new inbound call of an assistant with this webhook address. */
async function incoming(path: string | undefined, call: Partial<typeof calls.$inferInsert> = {}) {
  const owner = await Owner.create(service);
  const { id } = await owner.create(
    'assistant',
    assistantBody({ type: 'inbound', timezone: 'Europe/Berlin' }),
  );
  if (path !== undefined) {
    const body = { assistant_id: id, webhook_url: receiver.url + path };
    assert.equal((await owner.post('assistants/enable-inbound-webhook', body)).status, 200);
  }
  const callId = await addCall(service, {
    ...{ userId: owner.id, assistantId: id, type: 'inbound', inputVariables: { shop: 'Oslo', name: 'you' } },
    ...{ clientPhoneNumber: '+4915112345678', assistantPhoneNumber: '+4930123456' },
    createdAt: '2026-07-01T10:00:00Z',
    ...call,
  });
  const requests = () => receiver.requests.filter((request) => request.path === path);
  const stored = async () => (await db.select().from(calls).where(eq(calls.id, callId)))[0];
  const delivery = async () => {
    const { json } = await owner.get('webhook-deliveries?event=inbound-call-started');
    return (json['data'] as Record<string, unknown>[])[0];
  };
  return { owner, callId, requests, stored, delivery };
}

const answering = (body: unknown) => `/text/${encodeURIComponent(JSON.stringify(body))}`;

describe('the webhook at the start of an inbound call', () => {
  test('is signed, and its variables override those of the assistant', async () => {
    const call = await incoming(answering({ variables: { name: 'Ada', orders: 2 } }));
    await ask(call.callId);
    const { json } = await call.owner.get('webhook-secret');
    const [request] = call.requests();
    const body = verify(String(json['secret']), request);
    assert.ok(InboundCallWebhook.safeParse(body).success);
    const { assistant_id, ...rest } = body;
    assert.match(String(assistant_id), /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      id: call.callId,
      customer_phone: '+4915112345678',
      assistant_phone: '+4930123456',
      status: 'in-progress',
      input_variables: { shop: 'Oslo', name: 'you' },
      created_at: '2026-07-01T12:00:00+02:00',
    });
    const stored = await call.stored();
    assert.deepEqual(stored?.inputVariables, { shop: 'Oslo', name: 'Ada', orders: 2 });
    const answered = JSON.stringify({ variables: { name: 'Ada', orders: 2 } });
    assert.deepEqual(stored.webhookResponse, { status: 200, body: answered });
    const delivery = await call.delivery();
    assert.deepEqual(
      [delivery?.['status'], delivery?.['call_id'], delivery?.['response_status'], delivery?.['attempts']],
      ['delivered', call.callId, 200, 1],
    );
  });

  test('is sent once, even if the call is reconnected', async () => {
    const call = await incoming(answering({ variables: { name: 'Once' } }));
    await ask(call.callId);
    await ask(call.callId);
    assert.equal(call.requests().length, 1);
  });

  test('is sent with another id for a call that has the number of one in a lost database', async () => {
    const call = await incoming('/204');
    await ask(call.callId);
    await db.delete(webhookDeliveries).where(eq(webhookDeliveries.callId, call.callId));
    await db.update(calls).set({ createdAt: '2026-07-01T10:00:01Z' }).where(eq(calls.id, call.callId));
    await ask(call.callId);
    const ids = call.requests().map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids).size, 2);
  });

  for (const [description, path] of [
    ['an empty answer', '/204'],
    ['an answer without variables', answering({ ok: true })],
    ['null', answering({ variables: null })],
  ] as const) {
    test(`accepts ${description}`, async () => {
      const call = await incoming(path);
      await ask(call.callId);
      assert.deepEqual((await call.stored())?.inputVariables, { shop: 'Oslo', name: 'you' });
      assert.equal((await call.delivery())?.['status'], 'delivered');
    });
  }

  const long = 'x'.repeat(100_000);
  for (const [description, path, error] of [
    [
      'another status',
      '/500/%7B%22variables%22%3A%7B%22name%22%3A%22Eve%22%7D%7D',
      'the server answered with 500',
    ],
    ['a redirect', '/302', 'the server answered with 302'],
    ['text that is not JSON', '/text/hello', 'the answer is not JSON'],
    ['a list', answering([]), 'the answer is not {"variables": {…}}'],
    ['variables that are no object', answering({ variables: 'Ada' }), 'the answer is not {"variables": {…}}'],
    [
      'reserved names',
      answering({ variables: { 'verified.id': '1' } }),
      'the answer is not {"variables": {…}}',
    ],
    ['an answer after more than two seconds', '/hang', 'the server did not answer in time'],
  ] as const) {
    test(`ignores ${description}, and stores the error`, async () => {
      const call = await incoming(path);
      await ask(call.callId);
      const stored = await call.stored();
      assert.deepEqual(stored?.inputVariables, { shop: 'Oslo', name: 'you' });
      assert.ok(
        String(stored.webhookResponse['error']).startsWith(error),
        JSON.stringify(stored.webhookResponse),
      );
      const delivery = await call.delivery();
      assert.deepEqual(
        [delivery?.['status'], delivery?.['error']],
        ['failed', stored.webhookResponse['error']],
      );
    });
  }

  test('refuses values that are too long', async () => {
    const big = await startLoopbackServer(() => ({ variables: { name: long } }));
    atEnd(() => big.close());
    const call = await incoming('/unused');
    await call.owner.post('assistants/enable-inbound-webhook', {
      assistant_id: (await call.stored())?.assistantId,
      webhook_url: big.url,
    });
    const reach = createFetchGuarded(new AllowedAddresses([big.address]));
    await askInboundWebhook({ database, fetch: reach, log: createLog('silent') }, call.callId);
    assert.deepEqual((await call.stored())?.inputVariables, { shop: 'Oslo', name: 'you' });
  });

  test('is not sent for outbound calls, without an address, or to a disabled address', async () => {
    const outbound = await incoming(answering({ variables: { a: 1 } }), { type: 'outbound' });
    await ask(outbound.callId);
    assert.equal(outbound.requests().length, 0);
    const silent = await incoming(undefined);
    await ask(silent.callId);
    assert.deepEqual((await silent.stored())?.webhookResponse, {});
    const disabled = await incoming(answering({ variables: { b: 1 } }));
    await database.pool.query(
      `INSERT INTO failing_webhook_urls (user_id, url, disabled_at)
       SELECT user_id, inbound_webhook_url, now() FROM assistants WHERE user_id = $1`,
      [disabled.owner.id],
    );
    await ask(disabled.callId);
    assert.equal(disabled.requests().length, 0);
    assert.match(String((await disabled.stored())?.webhookResponse['error']), /address is disabled/);
  });
});
