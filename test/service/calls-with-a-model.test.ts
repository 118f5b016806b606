import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assistantBody } from '../support/records/assistant-body.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { removeToolNumbers } from '../support/records/tool-assistant.ts';
import { Owner } from '../support/records/owner.ts';
import { atEnd, newDatabase, readMoney, startService } from '../support/service/service.ts';
import { callTo, waitForCall } from '../support/records/simulated-numbers.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({
  ...(await newDatabase()),
  WORKERS: 'on',
  CARRIER_SECONDS: '0',
  LLM_BASE_URL: model.url,
  LLM_API_KEY: 'sk-test',
});
const owner = await Owner.create(service, '10');

/** Makes a call; returns its record and the requests to the model. */
async function call(
  fields: Record<string, unknown> = {},
  body: Record<string, unknown> = {},
  before: (assistantId: number) => Promise<void> = () => Promise.resolve(),
) {
  const assistant = await owner.create(
    'assistant',
    assistantBody({ post_call_evaluation: false, ...fields }),
  );
  await before(assistant.id);
  const requestCount = model.requests.length;
  const { json } = await owner.post('make_call', {
    phone_number: callTo.person,
    assistant_id: assistant.id,
    ...body,
  });
  const record = await waitForCall(owner, Number(json['call_id']));
  return { record, requests: model.requests.slice(requestCount) };
}

describe('an assistant on the phone', () => {
  test('receives the prompt with the variables of the call and the conversation so far', async () => {
    model.behave({});
    const { record, requests } = await call(
      { system_prompt: 'You speak to {{name}}.', initial_message: 'Hello {{name}}!' },
      { variables: { name: 'Ada' } },
    );
    assert.equal(record['status'], 'completed');
    assert.equal(requests.length, 3);
    const [system, ...messages] = requests.at(-1)?.messages ?? [];
    assert.match(system?.content ?? '', /You speak to Ada\.[^]*on the phone/);
    assert.deepEqual(
      messages.map(({ role, content }) => `${role}: ${content}`),
      [
        'assistant: Hello Ada!',
        'user: Hello, yes, I have a moment.',
        'assistant: You said: Hello, yes, I have a moment.',
        'user: What is this about?',
        'assistant: You said: What is this about?',
        'user: Thank you, goodbye!',
      ],
    );
  });

  test('re-engages a silent customer with reengagement_prompt', async () => {
    model.behave({ chunks: ['Still with me?'] });
    const { record, requests } = await call(
      { reengagement_prompt: 'Mention {{thing}}.', reengagement_interval: 15, max_silence_duration: 20 },
      { phone_number: callTo.silent, variables: { thing: 'the sale' } },
    );
    assert.match(requests[0]?.messages[0]?.content ?? '', /silent[^]*Mention the sale\./);
    assert.equal(record['transcript'], 'AI: Hello!\nAI: Still with me?');
  });

  test('hangs up with end_call after its last words', async () => {
    model.behave({ calls: [{ name: 'end_call', arguments: {} }], chunks: ['Goodbye!'] });
    const { record } = await call({
      tools: [{ type: 'end_call', description: 'When the conversation is over.' }],
    });
    assert.equal(record['status'], 'ended_by_assistant');
    assert.match(String(record['transcript']), /AI: Goodbye!$/);
  });

  test('transfers the call with call_transfer', async () => {
    model.behave({ calls: [{ name: 'call_transfer', arguments: {} }], chunks: ['One moment.'] });
    const { record } = await call({
      tools: [{ type: 'call_transfer', description: 'For a person.', phone_number: '+4930123456' }],
    });
    assert.equal(record['status'], 'completed');
    assert.match(String(record['transcript']), /have a moment\.\nAI: One moment\.$/);
  });

  test('continues the conversation if call_transfer has no number', async () => {
    model.behave({ calls: [{ name: 'call_transfer', arguments: {} }], chunks: ['I cannot do that.'] });
    const { record, requests } = await call(
      { tools: [{ type: 'call_transfer', description: 'For a person.', phone_number: '+4930123456' }] },
      {},
      (id) => removeToolNumbers(service, id),
    );
    assert.match(JSON.stringify(requests[1]?.messages.at(-1)), /no phone number/);
    assert.match(String(record['transcript']), /I cannot do that\.\nCustomer: What is this about\?/);
  });

  test('refunds the call if the model fails during it', async () => {
    model.behave({ status: 500 });
    const { balance } = await readMoney(service, owner.id);
    const { record } = await call();
    assert.deepEqual([record['status'], record['total_cost'], record['carrier_cost']], ['failed', 0, 0]);
    assert.equal(record['transcript'], 'AI: Hello!\nCustomer: Hello, yes, I have a moment.');
    assert.deepEqual(await readMoney(service, owner.id), { balance, ledger: balance });
  });
});
