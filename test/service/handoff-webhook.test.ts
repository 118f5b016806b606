import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { HandoffWebhook } from '../../src/contract/webhook.ts';
import { verify } from '../support/servers/webhook-receiver.ts';
import {
  allAre,
  deliveries,
  receiver,
  startWebhookService,
  webhookService,
} from '../support/service/webhook-service.ts';
import type { WithAssistant } from '../support/service/webhook-service.ts';

const { chat, createOwner, pool, service, settled } = webhookService;

const switchAi = ({ owner }: WithAssistant, conversation: string, action: 'disable-ai' | 'enable-ai') =>
  service.post(`/api/automate/conversations/${conversation}/${action}`, undefined, {
    Authorization: `Bearer ${owner.key}`,
  });

/** The bodies of an address's webhooks, oldest message first. */
const bodies = async (it: WithAssistant, url: string, count: number) => {
  const received = (await receiver.received(url, count)).map((request) =>
    HandoffWebhook.parse(verify(it.secret, request)),
  );
  return received.sort((one, other) => one.created_at.localeCompare(other.created_at));
};

test('sends a signed webhook for each message of a visitor during a handoff', async () => {
  const url = receiver.address();
  const it = await createOwner({ handoff_webhook_url: url, timezone: 'Asia/Kolkata' });
  const { uuid } = await chat(it, ['Before'], { variables: { first_name: 'Ada', order: 7 } });
  await switchAi(it, uuid, 'disable-ai');
  await service.send(uuid, 'Is Hanna there?');
  const [first] = await bodies(it, url, 1);
  assert.match(String(first?.created_at), /\+05:30$/);
  assert.deepEqual(first, {
    conversation_id: uuid,
    assistant_id: it.uuid,
    type: 'widget',
    reason: 'message',
    message: 'Is Hanna there?',
    input_variables: { first_name: 'Ada', order: 7 },
    customer_name: 'Ada',
    created_at: first?.created_at,
  });
  await service.send(uuid, 'Hello?');
  await switchAi(it, uuid, 'enable-ai');
  await service.send(uuid, 'After');
  const sent = await bodies(it, url, 2);
  await deliveries(it, allAre('delivered', 2));
  for (const { headers } of receiver.requests(url))
    assert.ok(headers['webhook-id']?.includes(uuid), 'an id that is new after a backup was restored');
  assert.deepEqual(
    sent.map(({ message }) => message),
    ['Is Hanna there?', 'Hello?'],
  );
});

for (const [language, message] of [
  ['en', 'I would like to talk to a human, please.'],
  ['en', 'Agent!'],
  ['de', 'Kann ich bitte mit einem Menschen sprechen?'],
] as const) {
  test(`hands a chat over, and sends the webhook, when a visitor asks for a person: ${message}`, async () => {
    const url = receiver.address();
    const { rows } = await pool.query<{ id: number }>('SELECT id FROM languages WHERE iso_2 = $1', [
      language,
    ]);
    const it = await createOwner({ handoff_webhook_url: url, language_id: rows[0]?.id });
    const { uuid } = await chat(it, [message]);
    const [body] = await bodies(it, url, 1);
    assert.deepEqual([body?.reason, body?.message], ['request', message]);
    const { json } = await service.get(`/api/conversations/${uuid}`);
    assert.equal(json['ai_enabled'], false);
  });
}

test('does not hand a chat over because a question is about people', async () => {
  const url = receiver.address();
  const it = await createOwner({ handoff_webhook_url: url });
  const { uuid } = await chat(it, ['Am I talking to a human?', 'How many people fit into the tent?']);
  const { json } = await service.get(`/api/conversations/${uuid}`);
  assert.equal(json['ai_enabled'], true);
});

test('does not hand over if no webhook is configured', async () => {
  const it = await createOwner();
  const { uuid } = await chat(it, ['I would like to talk to a human, please.']);
  const { json } = await service.get(`/api/conversations/${uuid}`);
  assert.equal(json['ai_enabled'], true);
});

test('logs the first failed attempt and the failed delivery, without the path of the address', async () => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
  const logging = await startWebhookService({}, { log: pino({ level: 'warn' }, { write }) });
  const url = receiver.address(500, 500, 500, 500);
  const it = await logging.createOwner({ handoff_webhook_url: url });
  await logging.chat(it, ['I would like to talk to a human, please.']);
  await logging.settled();
  const failures = lines.filter(({ msg }) => msg === 'a webhook was not delivered');
  const host = new URL(url).host;
  assert.deepEqual(
    failures.map(({ level, event, host, status, willRetry }) => ({ level, event, host, status, willRetry })),
    [true, false].map((willRetry) => ({
      level: 40,
      event: 'handoff-requested',
      host,
      status: 500,
      willRetry,
    })),
  );
  assert.ok(!JSON.stringify(failures).includes(new URL(url).pathname));
});

test('sends a webhook for test conversations only with a preview token, since anybody can open them', async () => {
  const url = receiver.address();
  const it = await createOwner({ handoff_webhook_url: url });
  const anyone = await chat(it, [], { type: 'test' });
  const preview = await chat(it, [], { type: 'test' });
  await pool.query('UPDATE conversations SET is_preview = true WHERE id = $1', [preview.id]);
  for (const { uuid } of [anyone, preview]) {
    await switchAi(it, uuid, 'disable-ai');
    await service.send(uuid, 'Hello?');
  }
  const [body] = await bodies(it, url, 1);
  assert.equal(body?.conversation_id, preview.uuid);
  await settled();
  assert.equal(receiver.requests(url).length, 1);
});
