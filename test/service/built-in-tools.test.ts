import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import type { Behavior } from '../support/servers/model-server.ts';
import { completeEndJobs, endJobs } from '../support/records/end-jobs.ts';
import { atEnd, startService } from '../support/service/service.ts';
import { createToolAssistant, removeToolNumbers } from '../support/records/tool-assistant.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
const offline = await startService();

const endCall = { type: 'end_call', description: 'When the customer says goodbye.' };
const transfer = {
  type: 'call_transfer',
  description: 'When the customer is angry.',
  phone_number: '+4930123',
};
const tones = { type: 'dtmf_input', description: 'Presses keys.' };
const open = async (tools: object[], more: Record<string, unknown> = {}) => {
  const { uuid, owner } = await createToolAssistant(service, [], { tools, ...more });
  return { conversation: await service.open(uuid), owner };
};
const offered = () => model.requests.at(-1)?.tools?.map((tool) => tool.function) ?? [];
const ending: Behavior = { calls: [{ name: 'end_call', arguments: {} }], chunks: ['Goodbye!'] };

test('offers the model the built-in tools of the assistant, except dtmf_input', async () => {
  model.behave({});
  const { conversation } = await open([endCall, transfer, tones]);
  await service.send(conversation, 'Hello');
  assert.deepEqual(
    offered().map(({ name, parameters }) => [
      name,
      Object.keys((parameters as { properties: object }).properties),
    ]),
    [
      ['end_call', []],
      ['call_transfer', []],
    ],
  );
  assert.match(
    offered()[0]?.description ?? '',
    /^Ends this conversation.* When the customer says goodbye\.$/,
  );
});

describe('end_call', () => {
  test('ends the conversation after a goodbye and sends its webhook', async () => {
    model.behave(ending);
    const { conversation } = await open([endCall]);
    const before = model.requests.length;
    const { json } = await service.send(conversation, 'Bye');
    assert.deepEqual(json, {
      status: true,
      message: 'Goodbye!',
      function_calls: [{ name: 'end_call', arguments: {}, result: { ended: true } }],
      ai_enabled: true,
      ended: true,
    });
    assert.equal(model.requests.length, before + 2);
    assert.equal(model.requests.at(-1)?.tool_choice, 'none');
    const read = (await service.get(`/api/conversations/${conversation}`)).json;
    assert.equal(read['ended'], true);
    assert.deepEqual(await service.history(conversation), [
      'assistant: Hello!',
      'user: Bye',
      'assistant: Goodbye!',
      'system: The assistant has ended the conversation.',
    ]);
    assert.equal(await endJobs(service, conversation), 1);
    const refused = await service.send(conversation, 'One more thing');
    assert.deepEqual(
      [refused.status, refused.json],
      [400, { status: false, error: 'Conversation has ended' }],
    );
  });

  test('does not ask the model for a goodbye if it has said one already', async () => {
    model.behave({ ...ending, before: 'So long!' });
    const { conversation } = await open([endCall]);
    const before = model.requests.length;
    const { json } = await service.send(conversation, 'Bye');
    assert.equal(json['message'], 'So long!');
    assert.equal(model.requests.length, before + 1);
  });

  test('ends a conversation that can be resumed, and can end it again', async () => {
    model.behave(ending);
    const { conversation } = await open([endCall], { conversation_ended_retrigger: true });
    const { json } = await service.send(conversation, 'Bye');
    assert.equal('ended' in json, false, JSON.stringify(json));
    assert.equal((await service.get(`/api/conversations/${conversation}`)).json['ended'], false);
    await completeEndJobs(service, conversation);
    assert.equal((await service.send(conversation, 'Bye again')).status, 200);
    assert.equal(await endJobs(service, conversation), 2);
  });

  test('reports the end once if the answers to two messages end the conversation', async () => {
    const gate = Promise.withResolvers<string>();
    model.behave({ ...ending, chunks: [gate.promise] });
    const { conversation } = await open([endCall]);
    const first = service.send(conversation, 'Bye');
    await eventually('the first message', async () =>
      (await service.history(conversation)).includes('user: Bye'),
    );
    const second = service.send(conversation, 'Bye bye');
    await eventually('the second message', async () =>
      (await service.history(conversation)).includes('user: Bye bye'),
    );
    gate.resolve('Goodbye!');
    await Promise.all([first, second]);
    assert.deepEqual(await service.history(conversation), [
      'assistant: Hello!',
      'user: Bye',
      'assistant: Goodbye!',
      'user: Bye bye',
      'assistant: Goodbye!',
      'system: The assistant has ended the conversation.',
    ]);
  });

  test('does not end a conversation that a person has taken over meanwhile', async () => {
    const gate = Promise.withResolvers<string>();
    const key = { 'Idempotency-Key': randomUUID() };
    model.behave({ ...ending, chunks: ['Goodbye', gate.promise] });
    const { conversation, owner } = await open([endCall]);
    const stream = await service.stream(conversation, 'Bye', key);
    await stream.until((events) => events.some(({ event }) => event === 'delta'));
    const desk = { Authorization: `Bearer ${owner.key}` };
    await service.post(`/api/automate/conversations/${conversation}/disable-ai`, undefined, desk);
    gate.resolve('!');
    const { data } = (await stream.all()).at(-1) ?? {};
    assert.deepEqual(
      [data?.['message'], data?.['ai_enabled'], data?.['ended']],
      ['Goodbye!', false, undefined],
    );
    assert.deepEqual((await service.send(conversation, 'Bye', key)).json, data);
    assert.deepEqual((await service.history(conversation)).slice(2), [
      'assistant: Goodbye!',
      'system: A person has joined the conversation.',
    ]);
    assert.equal((await service.send(conversation, 'Hanna?')).status, 200);
    assert.equal(await endJobs(service, conversation), 0);
  });

  test('has no effect as the name of a page tool or mid-call tool', async () => {
    model.behave({ calls: [{ name: 'end_call', arguments: {} }], chunks: ['Well.'] });
    const own = { name: 'end_call', endpoint: 'https://shop.example/' };
    const { uuid } = await createToolAssistant(service, [own]);
    const conversation = await service.open(uuid);
    await service.send(conversation, 'Bye');
    assert.deepEqual(offered(), []);
    const client_tools = [{ name: 'end_call', description: 'Of the page.' }];
    const { json } = await service.send(conversation, 'Bye', {}, { client_tools });
    assert.deepEqual(json['function_calls'], [{ name: 'end_call', arguments: {}, client: true }]);
    assert.equal((await service.send(conversation, 'Still here')).status, 200);
    assert.equal(await endJobs(service, conversation), 0);
  });
});

describe('call_transfer', () => {
  const handOver = (input: object = {}): Behavior => ({
    calls: [{ name: 'call_transfer', arguments: { ...input } }],
    chunks: ['A colleague takes over.'],
  });

  test('hands the conversation over to a person', async () => {
    model.behave(handOver());
    const { conversation } = await open([transfer]);
    const { json } = await service.send(conversation, 'This is a disgrace');
    assert.deepEqual(json, {
      status: true,
      message: 'A colleague takes over.',
      function_calls: [{ name: 'call_transfer', arguments: {}, result: { transferred_to: '+4930123' } }],
      ai_enabled: false,
    });
    const next = (await service.send(conversation, 'Hello?')).json;
    assert.deepEqual([next['message'], next['ai_enabled']], ['', false]);
    assert.deepEqual((await service.history(conversation)).slice(-3), [
      'assistant: A colleague takes over.',
      'system: The assistant has handed the conversation over to a person: +4930123.',
      'user: Hello?',
    ]);
    assert.equal(await endJobs(service, conversation), 0);
  });

  test('hands over without a number, for assistants from before numbers were required', async () => {
    const { uuid, id } = await createToolAssistant(service, [], { tools: [transfer] });
    await removeToolNumbers(service, id);
    model.behave(handOver());
    const conversation = await service.open(uuid);
    const { json } = await service.send(conversation, 'This is a disgrace');
    assert.equal(json['ai_enabled'], false);
    assert.deepEqual(
      (await service.history(conversation)).at(-1),
      'system: The assistant has handed the conversation over to a person.',
    );
  });

  test('transfers to the number that the model chooses, and only to configured numbers', async () => {
    const sales = { ...transfer, description: 'Sales.', phone_number: '+4930456' };
    const { conversation } = await open([transfer, sales]);
    model.behave(handOver({ phone_number: '+1900' }));
    const { json } = await service.send(conversation, 'Connect me');
    assert.equal(json['ai_enabled'], true);
    assert.match(JSON.stringify(json['function_calls']), /must be one of \+4930123, \+4930456/);
    model.behave(handOver({ phone_number: '+4930456' }));
    assert.equal((await service.send(conversation, 'Connect me')).json['ai_enabled'], false);
    assert.match((await service.history(conversation)).at(-1) ?? '', /\+4930456\.$/);
  });

  test('hands over if the model ends the conversation in the same answer, as in calls', async () => {
    const goodbye = { name: 'end_call', arguments: {} };
    model.behave({
      calls: [goodbye, ...(handOver().calls ?? [])],
      chunks: ['Goodbye, a colleague takes over.'],
    });
    const { conversation } = await open([endCall, transfer]);
    const { json } = await service.send(conversation, 'Give me a person');
    assert.deepEqual([json['ai_enabled'], json['ended']], [false, undefined]);
    assert.equal((await service.send(conversation, 'Hello?')).status, 200);
    assert.deepEqual((await service.history(conversation)).slice(-2), [
      'system: The assistant has handed the conversation over to a person: +4930123.',
      'user: Hello?',
    ]);
    assert.equal(await endJobs(service, conversation), 0);
  });
});

test('ends the conversation on a goodbye and hands it over on request, without a language model', async () => {
  const { uuid } = await createToolAssistant(offline, [], { tools: [endCall, transfer] });
  const first = await offline.open(uuid);
  const { json } = await offline.send(first, 'Thanks, bye!');
  assert.deepEqual([json['message'], json['ended']], ['Goodbye, and thank you for stopping by!', true]);
  const second = await offline.open(uuid);
  const handed = (await offline.send(second, 'Please do a call transfer')).json;
  assert.deepEqual(
    [handed['message'], handed['ai_enabled']],
    ['I am handing you over to a person. Please stay here for a moment.', false],
  );
});
