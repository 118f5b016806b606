import { serve, type ServerType } from '@hono/node-server';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { faultKinds, faults } from '../../demo/faults.ts';
import { personAnswersAfter } from '../../demo/faults/changes.ts';
import { ChatClient, ChatError } from '../../src/client/chat-client.ts';

let server: ServerType;
let origin: string;
const stop = new AbortController();

before(async () => {
  server = serve({ fetch: faults(stop.signal).fetch, hostname: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});

after(async () => {
  stop.abort();
  const closed = once(server, 'close');
  server.close();
  if ('closeAllConnections' in server) server.closeAllConnections();
  await closed;
});

const assistant = 'b7f0a2d4-6c1e-4a52-9f3b-2f6f8e0c1d11';

const clientOf = (kind: string, timeout = 10_000): ChatClient =>
  new ChatClient({ baseUrl: `${origin}/${kind}`, timeout, answerTimeout: timeout });

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof ChatError, `not a ChatError: ${String(error)}`);
    return error.code;
  }
  assert.fail('it did not fail');
}

async function openAt(kind: string): Promise<string> {
  const { conversation_id } = await clientOf(kind).openConversation({ assistant_id: assistant });
  return conversation_id;
}

/** Opens a conversation and sends a message; returns the streamed text and the error code. */
async function chatAt(kind: string, timeout?: number): Promise<{ streamed: string; code: string }> {
  const uuid = await openAt(kind);
  let streamed = '';
  const onDelta = (text: string) => {
    streamed += text;
  };
  const code = await codeOf(clientOf(kind, timeout).streamMessage(uuid, 'Hello over there!', { onDelta }));
  return { streamed, code };
}

/** The error code of each fault that prevents a conversation from opening. */
const opening: Record<string, string> = {
  'not-found': 'assistant-not-found',
  'insufficient-balance': 'insufficient-balance',
  'origin-not-allowed': 'origin-not-allowed',
  unreachable: 'network',
  html: 'bad-response',
  truncated: 'network',
  'wrong-types': 'bad-response',
  empty: 'bad-response',
  'server-error': 'unavailable',
  'too-large': 'response-too-large',
};

/** The error code of each fault that affects messages only. */
const sending: Record<string, string> = {
  'balance-spent': 'insufficient-balance',
  'limit-reached': 'limit-reached',
  'conversation-not-found': 'conversation-not-found',
  'engine-failed': 'engine-failed',
  'too-many-requests': 'too-many-requests',
  'html-on-message': 'bad-response',
  'truncated-on-message': 'network',
  'wrong-types-on-message': 'bad-response',
  'empty-on-message': 'bad-response',
  'server-error-on-message': 'unavailable',
  'unreachable-on-message': 'network',
  'too-large-on-message': 'response-too-large',
};

describe('a faulty service', () => {
  for (const [kind, code] of Object.entries(opening)) {
    it(`fails to open a conversation at ${kind}: ${code}`, async () => {
      assert.equal(await codeOf(clientOf(kind).openConversation({ assistant_id: assistant })), code);
    });
  }

  for (const [kind, code] of Object.entries(sending)) {
    it(`opens a conversation at ${kind} but does not answer: ${code}`, async () => {
      assert.deepEqual(await chatAt(kind), { streamed: '', code });
    });
  }

  it('never answers at timeout', async () => {
    const opened = clientOf('timeout', 100).openConversation({ assistant_id: assistant });
    assert.equal(await codeOf(opened), 'timeout');
    assert.equal((await chatAt('timeout-on-message', 100)).code, 'timeout');
  });

  it('interrupts the stream and removes the message at cut-stream', async () => {
    const { streamed, code } = await chatAt('cut-stream');
    assert.equal(code, 'network');
    assert.match(streamed, /^Our rain jackets/);
  });

  it('interrupts only the connection at cut-line, so that the history has the whole answer', async () => {
    const client = clientOf('cut-line');
    const uuid = await openAt('cut-line');
    assert.equal(await codeOf(client.streamMessage(uuid, 'My jacket?', {})), 'network');
    const { history } = await client.resumeConversation(uuid);
    assert.deepEqual(
      history.map(({ role }) => role),
      ['assistant', 'user', 'assistant'],
    );
    assert.match(history.at(-1)?.content ?? '', /still damp\.$/);
  });

  it('returns the seconds to wait at too-many-requests, also to other origins', async () => {
    const uuid = await openAt('too-many-requests');
    const response = await fetch(`${origin}/too-many-requests/api/conversations/${uuid}/messages`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'https://shop.example' },
      body: JSON.stringify({ message: 'Hello' }),
    });
    assert.equal(response.status, 429);
    assert.equal(response.headers.get('Retry-After'), '5');
    assert.equal(response.headers.get('Access-Control-Allow-Origin'), '*');
    assert.match(response.headers.get('Access-Control-Expose-Headers') ?? '', /Retry-After/);
    assert.deepEqual(await response.json(), { message: 'Too Many Attempts.', retry_after: 5 });
  });

  it('answers again at too-many-requests once the wait is over', async (test) => {
    test.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const client = clientOf('too-many-requests');
    const uuid = await openAt('too-many-requests');
    assert.equal(await codeOf(client.sendMessage(uuid, 'One')), 'too-many-requests');
    test.mock.timers.tick(4999);
    assert.equal(await codeOf(client.sendMessage(uuid, 'Two')), 'too-many-requests');
    test.mock.timers.tick(1);
    assert.match((await client.sendMessage(uuid, 'Three')).message, /Three/);
  });

  it('accepts a short message and refuses a long one at message-refused', async () => {
    const client = clientOf('message-refused');
    const uuid = await openAt('message-refused');
    assert.match((await client.sendMessage(uuid, 'x'.repeat(20))).message, /xxx/);
    assert.equal(await codeOf(client.sendMessage(uuid, 'x'.repeat(21))), 'invalid-request');
  });

  it('answers an unknown kind with the list of kinds', async () => {
    for (const kind of ['no-such', 'no-such-on-message', 'toString']) {
      const response = await fetch(`${origin}/${kind}/api/conversations`, { method: 'POST' });
      assert.equal(response.status, 404);
      assert.match(await response.text(), /too-many-requests/);
    }
  });
});

describe('json-only, a plain service without fault', () => {
  it('answers with JSON to a request for a stream, and keeps the history', async () => {
    const client = clientOf('json-only');
    const uuid = await openAt('json-only');
    let streamed = '';
    const answer = await client.streamMessage(uuid, 'Hello', {
      onDelta: (text) => {
        streamed += text;
      },
    });
    assert.equal(streamed, '');
    assert.match(answer.message, /“Hello”/);
    const { history } = await client.resumeConversation(uuid);
    assert.equal(history.length, 3);
  });

  it('has no widget endpoint', async () => {
    assert.equal(await codeOf(clientOf('json-only').readWidget(assistant)), 'assistant-not-found');
  });

  it('rejects conversations that it did not open', async () => {
    const read = clientOf('json-only').resumeConversation(assistant);
    assert.equal(await codeOf(read), 'conversation-not-found');
  });
});

describe('function-calls, a service whose assistant has a tool', () => {
  it('reports the call while it runs, then its result, then the answer', async () => {
    const client = clientOf('function-calls');
    const uuid = await openAt('function-calls');
    const calls: unknown[] = [];
    const onFunctionCall = (call: { arguments: unknown; result?: unknown }) => {
      calls.push([call.arguments, call.result]);
    };
    const answer = await client.streamMessage(uuid, 'Where is my order 4711?', { onFunctionCall });
    const result = { status: 'on its way', arrives: 'tomorrow' };
    assert.deepEqual(calls, [
      [{ order_number: '4711' }, undefined],
      [{ order_number: '4711' }, result],
    ]);
    assert.match(answer.message, /tomorrow/);
    const whole = await client.sendMessage(uuid, 'And 4712?');
    assert.deepEqual(
      whole.function_calls.map((call) => call.arguments),
      [{ order_number: '4712' }],
    );
  });
});

describe('ended, a service whose conversations end after one answer', () => {
  it('answers once, then refuses, and reports the end when it is read', async () => {
    const client = clientOf('ended');
    const uuid = await openAt('ended');
    assert.notEqual((await client.resumeConversation(uuid)).ended, true);
    assert.match((await client.sendMessage(uuid, 'One')).message, /One/);
    assert.equal(await codeOf(client.sendMessage(uuid, 'Two')), 'conversation-ended');
    const { ended, history } = await client.resumeConversation(uuid);
    assert.equal(ended, true);
    assert.equal(history.length, 3);
  });

  it('accepts the message in a new conversation', async () => {
    const client = clientOf('ended');
    assert.match((await client.sendMessage(await openAt('ended'), 'Two')).message, /Two/);
  });
});

describe('taken-over, a service where a person answers', () => {
  it('stores a message without an answer, and the person’s answer later', async (test) => {
    test.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const client = clientOf('taken-over');
    const uuid = await openAt('taken-over');
    const read = async () => {
      const { history, ai_enabled } = await client.resumeConversation(uuid);
      return [ai_enabled, ...history.slice(1).map(({ role }) => role)];
    };
    const { message, ai_enabled } = await client.sendMessage(uuid, 'Anybody there?');
    assert.deepEqual([message, ai_enabled], ['', false]);
    assert.deepEqual(await read(), [false, 'system', 'user']);
    test.mock.timers.tick(personAnswersAfter - 1);
    assert.deepEqual(await read(), [false, 'system', 'user']);
    test.mock.timers.tick(1);
    assert.deepEqual(await read(), [false, 'system', 'user', 'assistant']);
    await client.sendMessage(uuid, 'Thanks');
    assert.deepEqual(await read(), [false, 'system', 'user', 'assistant', 'user']);
    test.mock.timers.tick(personAnswersAfter);
    assert.deepEqual(await read(), [false, 'system', 'user', 'assistant', 'user', 'assistant']);
  });
});

it('covers every kind of fault', () => {
  const testedElsewhere = [
    'cut-line',
    'cut-stream',
    'ended',
    'function-calls',
    'images',
    'json-only',
    'long-history',
    'message-refused',
    'taken-over',
    'timeout',
    'word-by-word',
  ];
  const covered = new Set([
    ...Object.keys(opening),
    ...Object.keys(sending).filter((kind) => !kind.endsWith('-on-message')),
    ...testedElsewhere,
  ]);
  assert.deepEqual([...faultKinds].sort(), [...covered].sort());
});
