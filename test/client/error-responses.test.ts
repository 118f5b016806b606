import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ChatClient, type ChatErrorCode } from '../../src/client/chat-client.ts';
import { ChatServer, type Operation } from '../support/servers/chat-server.ts';
import { errorOf } from './chat-error.ts';

let server: ChatServer;
let client: ChatClient;

before(async () => {
  server = await ChatServer.start();
  client = new ChatClient({ baseUrl: server.url });
});
after(() => server.stop());

const calls = {
  open: () => client.openConversation({ assistant_id: 'a' }),
  read: () => client.resumeConversation('c'),
  send: () => client.sendMessage('c', 'Hi'),
  stream: () => client.streamMessage('c', 'Hi', {}),
  widget: () => client.readWidget('a'),
};
type Call = keyof typeof calls;
const operationOf = (call: Call): Operation => (call === 'stream' ? 'send' : call);

describe('an error response', () => {
  const refused: [call: Call, status: number, body: unknown, code: ChatErrorCode, message: string][] = [
    [
      'open',
      404,
      { status: false, error: 'Assistant not found' },
      'assistant-not-found',
      'Assistant not found',
    ],
    [
      'open',
      400,
      { status: false, error: 'Assistant not found.' },
      'assistant-not-found',
      'Assistant not found.',
    ],
    [
      'read',
      404,
      { status: false, error: 'Conversation not found' },
      'conversation-not-found',
      'Conversation not found',
    ],
    [
      'send',
      400,
      { status: false, error: 'CONVERSATION NOT FOUND' },
      'conversation-not-found',
      'CONVERSATION NOT FOUND',
    ],
    [
      'stream',
      500,
      { status: false, error: 'Conversation not found' },
      'conversation-not-found',
      'Conversation not found',
    ],
    [
      'stream',
      404,
      { status: false, error: 'Assistant not found' },
      'assistant-not-found',
      'Assistant not found',
    ],
    [
      'send',
      400,
      { status: false, error: 'Insufficient balance. Please top up your account.' },
      'insufficient-balance',
      'Insufficient balance. Please top up your account.',
    ],
    ['open', 402, { status: false, error: 'Bitte aufladen' }, 'insufficient-balance', 'Bitte aufladen'],
    [
      'stream',
      400,
      { status: false, error: 'Failed to process message: no model' },
      'engine-failed',
      'Failed to process message: no model',
    ],
    [
      'send',
      400,
      { status: false, error: 'Conversation has ended' },
      'conversation-ended',
      'Conversation has ended',
    ],
    ['stream', 409, { error: 'This chat ENDED.' }, 'conversation-ended', 'This chat ENDED.'],
    ['send', 410, { message: 'ended: idle too long' }, 'conversation-ended', 'ended: idle too long'],
    // "ended" is ignored with other statuses and inside another word.
    ['send', 422, { error: 'The sentence has not ended' }, 'invalid-request', 'The sentence has not ended'],
    ['send', 400, { error: 'Not recommended' }, 'refused', 'Not recommended'],
    [
      'send',
      400,
      { error: 'Failed to process message: the line ended' },
      'engine-failed',
      'Failed to process message: the line ended',
    ],
    ['send', 422, { status: false, error: 'message is required' }, 'invalid-request', 'message is required'],
    ['open', 422, { message: 'Bad.', errors: { type: ['Bad.'] } }, 'invalid-request', 'Bad.'],
    ['send', 413, { message: 'Payload too large' }, 'invalid-request', 'Payload too large'],
    ['send', 429, { message: 'Too Many Attempts.' }, 'too-many-requests', 'Too Many Attempts.'],
    ['send', 400, { status: false, error: 'Too Many Attempts.' }, 'too-many-requests', 'Too Many Attempts.'],
    ['read', 500, { message: 'Server Error' }, 'unavailable', 'Server Error'],
    ['read', 503, { error: 'Be right back' }, 'unavailable', 'Be right back'],
    ['open', 401, { message: 'Unauthenticated.' }, 'refused', 'Unauthenticated.'],
    ['open', 403, { error: 'Not from this website' }, 'refused', 'Not from this website'],
    ['open', 404, { error: 'No such bot' }, 'assistant-not-found', 'No such bot'],
    ['widget', 404, { error: 'No such page' }, 'assistant-not-found', 'No such page'],
    ['read', 404, { error: 'No such page' }, 'conversation-not-found', 'No such page'],
    // The body decides, not the status.
    [
      'open',
      200,
      { status: false, error: 'Assistant not found' },
      'assistant-not-found',
      'Assistant not found',
    ],
    [
      'send',
      200,
      { status: false, error: 'Insufficient balance' },
      'insufficient-balance',
      'Insufficient balance',
    ],
    ['stream', 201, { status: false, error: 'Closed on Sundays' }, 'refused', 'Closed on Sundays'],
    ['read', 200, { status: false, message: 'Gone fishing' }, 'refused', 'Gone fishing'],
  ];
  for (const [call, status, body, code, message] of refused) {
    it(`of ${call} with ${status} ${JSON.stringify(body)} is ${code} with the service's message`, async () => {
      server.answerNext(operationOf(call), body, status);
      const error = await errorOf(calls[call]());
      assert.deepEqual([error.code, error.message, error.status], [code, message, status]);
    });
  }

  for (const [status, code] of [
    [400, 'refused'],
    [402, 'insufficient-balance'],
    [404, 'conversation-not-found'],
    [422, 'invalid-request'],
    [429, 'too-many-requests'],
    [502, 'unavailable'],
  ] as const) {
    it(`without a message and with status ${status} is ${code}`, async () => {
      for (const body of ['', '<h1>Sorry</h1>', '[]', 'null', '{}', '{"error":{"text":"?"}}']) {
        server.answerNext('send', body, status);
        const error = await errorOf(calls.send());
        assert.deepEqual([error.code, error.status], [code, status], body);
        assert.match(error.message, new RegExp(String(status)));
      }
    });
  }

  for (const call of ['open', 'widget'] as const)
    it(`of ${call} with 404 and without a message is bad-response: another server answers`, async () => {
      for (const body of ['', '<h1>Not Found</h1>', '{}', '{"detail":"Not Found"}']) {
        server.answerNext(call, body, 404);
        const { code, message, status } = await errorOf(calls[call]());
        const expected = ['bad-response', 'The service responded with status 404.', 404];
        assert.deepEqual([code, message, status], expected, body);
      }
    });

  it('is not assumed if the body is a valid answer, regardless of the status', async () => {
    for (const status of [200, 201, 400, 404, 500]) {
      const body = { status: true, message: 'All well', function_calls: [] };
      server.answerNext('send', body, status);
      assert.equal((await calls.send()).message, 'All well');
      server.answerNext('send', body, status);
      assert.equal((await calls.stream()).message, 'All well');
    }
  });

  it('is read as JSON even if its type is an event stream', async () => {
    server.answerNext('send', { message: 'Slow down' }, 429, { 'Content-Type': 'text/event-stream' });
    const { code, message } = await errorOf(calls.stream());
    assert.deepEqual([code, message], ['too-many-requests', 'Slow down']);
  });

  it('has an unknown outcome from status 500 on', async () => {
    const outcomes: [number, boolean][] = [
      [400, false],
      [402, false],
      [404, false],
      [422, false],
      [429, false],
      [500, true],
      [504, true],
    ];
    for (const [status, outcomeUnknown] of outcomes) {
      server.answerNext('send', { error: 'No' }, status);
      assert.equal((await errorOf(calls.send())).outcomeUnknown, outcomeUnknown, String(status));
    }
  });
});

describe('retryAfter', () => {
  const retryAfterOf = async (body: unknown, header?: string): Promise<number | undefined> => {
    server.answerNext('send', body, 429, header === undefined ? {} : { 'Retry-After': header });
    return (await errorOf(calls.send())).retryAfter;
  };

  it('is read from the header in seconds', async () => {
    assert.equal(await retryAfterOf({}, '7'), 7);
    assert.equal(await retryAfterOf({}, '0'), 0);
    assert.equal(await retryAfterOf({}, '1.2'), 2);
    assert.equal(await retryAfterOf({ retry_after: 99 }, '7'), 7);
  });

  it('is read from the header as a date', async (test) => {
    test.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-31T09:30:00Z') });
    assert.equal(await retryAfterOf({}, 'Sat, 31 Jan 2026 09:32:00 GMT'), 120);
    assert.equal(await retryAfterOf({}, 'Sat, 31 Jan 2026 09:00:00 GMT'), 0);
  });

  it('is read from the body if the header is missing or invalid', async () => {
    assert.equal(await retryAfterOf({ retry_after: 30 }), 30);
    assert.equal(await retryAfterOf({ retry_after: '30' }), 30);
    assert.equal(await retryAfterOf({ retry_after: 30 }, 'soon'), 30);
    assert.equal(await retryAfterOf({ retry_after: 30 }, ''), 30);
  });

  it('is undefined if it is missing or invalid', async () => {
    for (const body of [
      {},
      { retry_after: null },
      { retry_after: 'later' },
      { retry_after: {} },
      { retry_after: '' },
    ])
      assert.equal(await retryAfterOf(body), undefined, JSON.stringify(body));
    assert.equal(await retryAfterOf({ retry_after: -5 }), 0);
  });
});
