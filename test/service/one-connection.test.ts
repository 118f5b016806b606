import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createToolAssistant } from '../support/records/tool-assistant.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { startWebhookReceiver } from '../support/servers/webhook-receiver.ts';
import { atEnd, newDatabase, startService } from '../support/service/service.ts';

// Fails if the service holds its only connection while it waits for the network.
test('a service with a pool of one connection completes conversations with tools, an end and a webhook', async () => {
  const model = await startModelServer();
  const shop = await startLoopbackServer(() => ({ status: 'sent' }));
  const receiver = await startWebhookReceiver();
  atEnd(() => model.close());
  atEnd(() => shop.close());
  atEnd(() => receiver.server.close());
  const service = await startService({
    ...(await newDatabase()),
    DATABASE_POOL_SIZE: '1',
    WORKERS: 'on',
    LLM_BASE_URL: model.url,
    ALLOW_PRIVATE_ADDRESSES: `${shop.address},${receiver.server.address}`,
  });
  model.behave(({ messages }) => {
    const [name, text] =
      messages.findLast(({ role }) => role === 'user')?.content === 'Bye'
        ? ['end_call', 'Goodbye!']
        : ['look_up_order', 'It was sent.'];
    return { calls: [{ name, arguments: {} }], chunks: [text] };
  });
  const webhookUrl = receiver.address();
  const { uuid } = await createToolAssistant(service, [{ name: 'look_up_order', endpoint: shop.url }], {
    conversation_ended_webhook_url: webhookUrl,
    post_call_evaluation: false,
    tools: [{ type: 'end_call', description: 'At a goodbye.' }],
  });

  const converse = async () => {
    const conversation = await service.open(uuid);
    const answer = await service.send(conversation, 'Where is my order?');
    const events = await (await service.stream(conversation, 'Bye')).all();
    return [answer.json['message'], events.at(-1)?.event, await service.history(conversation)];
  };
  const conversations = await Promise.all([converse(), converse(), converse(), converse()]);
  for (const [answer, lastEvent, history] of conversations) {
    assert.deepEqual([answer, lastEvent], ['It was sent.', 'done']);
    assert.deepEqual(history, [
      'assistant: Hello!',
      'user: Where is my order?',
      'assistant: It was sent.',
      'user: Bye',
      'assistant: Goodbye!',
      'system: The assistant has ended the conversation.',
    ]);
  }
  assert.equal((await receiver.received(webhookUrl, 4)).length, 4);
});
