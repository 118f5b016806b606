import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ChatClient, type OpenConversationRequest } from '../../src/client/chat-client.ts';
import { answerTo, ChatServer } from '../support/servers/chat-server.ts';
import { errorOf } from './chat-error.ts';

const assistant = 'b7f0a2d4-6c1e-4a52-9f3b-2f6f8e0c1d11';
let server: ChatServer;
let client: ChatClient;

before(async () => {
  server = await ChatServer.start({ greeting: 'Hello!' });
  client = new ChatClient({ baseUrl: server.url });
});
after(() => server.stop());

const openOne = async (): Promise<string> =>
  (await client.openConversation({ assistant_id: assistant })).conversation_id;

describe('openConversation', () => {
  it('sends the body unchanged and returns the ID and the history', async () => {
    const body: OpenConversationRequest = {
      assistant_id: assistant,
      type: 'test',
      variables: { name: 'Zoë 😀', n: [1] },
    };
    const { conversation_id, history } = await client.openConversation(body);
    assert.deepEqual(server.seen('open').at(-1)?.body, body);
    assert.ok(server.conversations.includes(conversation_id));
    assert.deepEqual(
      history.map(({ role, content }) => [role, content]),
      [['assistant', 'Hello!']],
    );
  });

  it('sends JSON headers and no credentials', async () => {
    await openOne();
    const { method, url, headers } = server.seen('open').at(-1) ?? assert.fail();
    assert.deepEqual([method, url], ['POST', '/api/conversations']);
    assert.equal(headers.accept, 'application/json');
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers.cookie, undefined);
    assert.equal(headers.authorization, undefined);
    assert.equal(headers['idempotency-key'], undefined);
  });

  it('works where requests have no credentials, as in Cloudflare Workers', async (test) => {
    const { Request } = globalThis;
    test.after(() => {
      globalThis.Request = Request;
    });
    globalThis.Request = function (url: string, init: RequestInit) {
      if ('credentials' in init) throw new Error("The 'credentials' field is not implemented.");
      return new Request(url, init);
    } as unknown as typeof Request;
    await openOne();
  });

  it('sends the idempotency key', async () => {
    await client.openConversation({ assistant_id: assistant }, { idempotencyKey: 'key-1' });
    assert.equal(server.seen('open').at(-1)?.headers['idempotency-key'], 'key-1');
  });

  it('accepts a response without a history, with unknown fields and with an unusual ID', async () => {
    server.answerNext('open', { status: true, conversation_id: '17', mood: { good: true } });
    const opened = await client.openConversation({ assistant_id: assistant });
    assert.equal(opened.conversation_id, '17');
    assert.deepEqual(opened.history, []);
    assert.deepEqual(opened['mood'], { good: true });
  });
});

describe('resumeConversation', () => {
  it('reads the history with a GET request', async () => {
    const uuid = await openOne();
    await client.sendMessage(uuid, 'Anyone?');
    const { history } = await client.resumeConversation(uuid);
    assert.deepEqual(
      history.map(({ content }) => content),
      ['Hello!', 'Anyone?', answerTo('Anyone?')],
    );
    const { method, url, headers, body } = server.seen('read').at(-1) ?? assert.fail();
    assert.deepEqual([method, url, body], ['GET', `/api/conversations/${uuid}`, undefined]);
    assert.equal(headers['content-type'], undefined);
  });

  it('reads earlier messages with the cursor of a response', async () => {
    const uuid = await openOne();
    server.answerNext('read', { status: true, history: [], earlier_cursor: 'a&b=1' });
    const { earlier_cursor } = await client.resumeConversation(uuid);
    const { history } = await client.readEarlier(uuid, earlier_cursor ?? assert.fail());
    assert.equal(server.requests.at(-1)?.url, `/api/conversations/${uuid}?before=a%26b%3D1`);
    assert.equal(history.length, 1);
    server.answerNext('read', { status: true, history: [], earlier_cursor: 17 });
    assert.equal((await client.resumeConversation(uuid)).earlier_cursor, undefined);
  });

  it('encodes the ID as one path segment', async () => {
    assert.equal(
      (await errorOf(client.resumeConversation('../../user/me?x=1#y'))).code,
      'conversation-not-found',
    );
    assert.equal(server.requests.at(-1)?.url, '/api/conversations/..%2F..%2Fuser%2Fme%3Fx%3D1%23y');
  });

  it('replaces unknown roles, texts and calls with defaults', async () => {
    const history = [
      { role: 'supervisor', content: 'took over' },
      { role: 'assistant', content: null, function_calls: 'none' },
      { role: 'user', content: 'Hi', function_calls: [{ name: 'look_up', arguments: [], result: 3 }] },
    ];
    server.answerNext('read', { status: true, history, variables: [] });
    const read = await client.resumeConversation('x');
    assert.deepEqual(
      read.history.map(({ role, content, function_calls }) => [role, content, function_calls.length]),
      [
        ['system', 'took over', 0],
        ['assistant', '', 0],
        ['user', 'Hi', 1],
      ],
    );
    assert.deepEqual(read.variables, {});
  });
});

describe('sendMessage and streamMessage', () => {
  it('return the complete answer', async () => {
    const uuid = await openOne();
    const answer = await client.sendMessage(uuid, 'One', { idempotencyKey: 'key-2' });
    assert.equal(answer.message, answerTo('One'));
    assert.deepEqual(answer.function_calls, []);
    const { url, headers, body } = server.seen('send').at(-1) ?? assert.fail();
    assert.equal(url, `/api/conversations/${uuid}/messages`);
    assert.deepEqual(body, { message: 'One' });
    assert.equal(headers.accept, 'application/json');
    assert.equal(headers['idempotency-key'], 'key-2');
  });

  it('accept JSON instead of an event stream', async () => {
    const uuid = await openOne();
    const deltas: string[] = [];
    const answer = await client.streamMessage(uuid, 'Two', { onDelta: (text) => deltas.push(text) });
    assert.equal(answer.message, answerTo('Two'));
    assert.deepEqual(deltas, []);
    assert.match(server.seen('send').at(-1)?.headers.accept ?? '', /^text\/event-stream,/);
  });

  it('return tool calls with their results', async () => {
    const calls = [
      { name: 'find_order', arguments: { id: 7 }, result: { state: 'sent' } },
      { name: 'ring_bell', arguments: {} },
    ];
    server.answerNext('send', { status: true, message: '', function_calls: calls });
    const { message, function_calls } = await client.sendMessage('x', 'Where is it?');
    assert.equal(message, '');
    assert.deepEqual(function_calls, calls);
  });
});

describe('the options of a message', () => {
  const extras = {
    variables: { first_name: 'Ada', basket: [{ id: 7 }] },
    clientTools: [
      {
        name: 'show_product',
        description: 'Shows a product',
        parameters: [{ name: 'id', type: 'number', description: 'Its number', required: true }],
      },
    ],
    toolResults: [{ name: 'show_product', arguments: { id: 7 }, result: { shown: true } }],
  } as const;

  it('are sent with the field names of the interface', async () => {
    const uuid = await openOne();
    await client.sendMessage(uuid, 'One', extras);
    await client.streamMessage(uuid, 'One', {}, extras);
    const body = {
      message: 'One',
      variables: extras.variables,
      client_tools: extras.clientTools,
      tool_results: extras.toolResults,
    };
    const bodies = server.seen('send').map((request) => request.body);
    assert.deepEqual(bodies.slice(-2), [body, body]);
  });

  it('lead to calls of client tools', async () => {
    const calls = [{ name: 'show_product', arguments: { id: 7 }, client: true }];
    server.answerNext('send', { status: true, message: 'Look!', function_calls: calls });
    const { function_calls } = await client.sendMessage('x', 'Show it to me', extras);
    assert.deepEqual(function_calls, calls);
  });

  it('do not affect whether the answer reports a human handoff', async () => {
    for (const [sent, read] of [
      [true, true],
      [false, false],
      [undefined, undefined],
      ['no', undefined],
    ]) {
      server.answerNext('send', { status: true, message: '', ai_enabled: sent });
      assert.equal((await client.sendMessage('x', 'Anyone?')).ai_enabled, read);
    }
  });
});

describe('stopReply', () => {
  it('sends a request', async () => {
    server.answerNext('stop', { status: true });
    await client.stopReply('a?b');
    const { method, url, body } = server.seen('stop').at(-1) ?? assert.fail();
    assert.deepEqual([method, url, body], ['POST', '/api/conversations/a%3Fb/stop', undefined]);
  });

  it('resolves if the service does not support it', async () => {
    await client.stopReply(await openOne());
    assert.equal(server.requests.at(-1)?.operation, 'stop');
  });

  it('rejects if it failed', async () => {
    server.answerNext('stop', { message: 'Server Error' }, 500);
    assert.equal((await errorOf(client.stopReply('x'))).code, 'unavailable');
  });
});

describe('deleteConversation', () => {
  it('deletes the conversation, with keepalive for pages that unload', async () => {
    const uuid = await openOne();
    await client.deleteConversation(uuid, { keepalive: true });
    assert.ok(!server.conversations.includes(uuid));
    const { method, url } = server.requests.at(-1) ?? assert.fail();
    assert.deepEqual([method, url], ['DELETE', `/api/conversations/${uuid}`]);
  });

  it('resolves if the service answers with status 204, without a body', async () => {
    server.next('delete', { raw: (response) => void response.writeHead(204).end() });
    await client.deleteConversation('x');
  });

  it('resolves if the conversation is already deleted', async () => {
    const uuid = await openOne();
    await client.deleteConversation(uuid);
    await client.deleteConversation(uuid);
  });

  it('rejects if it failed or was aborted', async () => {
    server.answerNext('delete', { message: 'Not from here' }, 405);
    assert.equal((await errorOf(client.deleteConversation('x'))).code, 'refused');
    const signal = AbortSignal.abort();
    assert.equal((await errorOf(client.deleteConversation('x', { signal }))).code, 'aborted');
  });
});

describe('readWidget', () => {
  it('returns the settings, empty where they are missing or invalid', async () => {
    const data = { name: 'Nora', widget_settings: { theme: 'dark', color: 7 } };
    server.answerNext('widget', { status: true, data });
    const read = await client.readWidget(assistant);
    assert.equal(server.seen('widget').at(-1)?.url, `/api/assistants/${assistant}/widget`);
    assert.deepEqual([read.data.name, read.data.language], ['Nora', '']);
    assert.deepEqual({ ...read.data.widget_settings }, { theme: 'dark', color: '', position: '' });
    server.answerNext('widget', { status: true, data: { widget_settings: null } });
    const { theme } = (await client.readWidget(assistant)).data.widget_settings;
    assert.equal(theme, '');
  });

  it('rejects if the service does not support it', async () => {
    const { code, status } = await errorOf(client.readWidget(assistant));
    assert.deepEqual([code, status], ['assistant-not-found', 404]);
  });
});

describe('baseUrl', () => {
  for (const [tail, expected] of [
    ['', '/api/conversations/x'],
    ['/', '/api/conversations/x'],
    ['///', '/api/conversations/x'],
    ['/chat/v2', '/chat/v2/api/conversations/x'],
    ['/chat/v2//', '/chat/v2/api/conversations/x'],
  ] as const) {
    it(`may end in “${tail}”`, async () => {
      await errorOf(new ChatClient({ baseUrl: server.url + tail }).resumeConversation('x'));
      assert.equal(server.requests.at(-1)?.url, expected);
    });
  }
});

describe('a request that cannot be sent', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const calls = {
    'with an invalid baseUrl': () => new ChatClient({ baseUrl: 'nowhere' }).resumeConversation('x'),
    'with cyclic variables': () => client.sendMessage('x', 'Hi', { variables: cyclic }),
    'with cyclic variables, streamed': () => client.streamMessage('x', 'Hi', {}, { variables: cyclic }),
    'with variables whose getter throws': () =>
      client.openConversation({
        assistant_id: assistant,
        variables: {
          get plan(): string {
            throw new Error('Not loaded');
          },
        },
      }),
    'with an idempotency key that no header can have': () =>
      client.sendMessage('x', 'Hi', { idempotencyKey: 'ключ' }),
    'without an ID': () => client.deleteConversation(undefined as never),
    'with an empty ID': () => client.deleteConversation(''),
    'with an ID that would change the path': () => client.deleteConversation('..'),
    'with half a surrogate pair as ID': () => client.resumeConversation('\ud800'),
  };
  for (const [title, call] of Object.entries(calls))
    it(`is rejected as invalid: ${title}`, async () => {
      const before = server.requests.length;
      const { code, outcomeUnknown, cause } = await errorOf(call());
      assert.deepEqual([code, outcomeUnknown], ['invalid-request', false]);
      assert.ok(cause instanceof Error);
      assert.equal(server.requests.length, before);
    });
});
