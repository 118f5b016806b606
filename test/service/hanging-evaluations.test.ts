import { test } from 'node:test';
import { startModelServer } from '../support/servers/model-server.ts';
import { atEnd } from '../support/service/service.ts';
import { receiver, startWebhookService } from '../support/service/webhook-service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const { chat, createOwner, end } = await startWebhookService({
  LLM_BASE_URL: model.url,
  LLM_API_KEY: 'sk-test',
});

test('a webhook arrives although a model hangs that evaluates five other chats', async () => {
  // Evaluations are not streamed.
  model.behave(({ stream }) => (stream === true ? {} : { hang: true }));
  const evaluated = await createOwner({ post_call_evaluation: true });
  const hanging = 5;
  for (let count = 0; count < hanging; count++) {
    const { id } = await chat(evaluated, ['Hello']);
    await end(id);
  }
  const url = receiver.address();
  const other = await createOwner({ conversation_ended_webhook_url: url });
  const { id } = await chat(other, ['Hello']);
  await end(id);
  await receiver.received(url, 1);
});
