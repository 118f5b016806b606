import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { ChatClient, ChatError } from '../../src/client/chat-client.ts';
import { limits } from '../../src/contract/limits.ts';
import { ChatServer } from '../support/servers/chat-server.ts';
import { freePort } from '../support/process/free-port.ts';
import { errorOf } from './chat-error.ts';
import { malformedBodies } from './malformed-bodies.ts';

let server: ChatServer;
let client: ChatClient;

before(async () => {
  server = await ChatServer.start();
  client = new ChatClient({ baseUrl: server.url });
});
after(() => server.stop());

const send = () => client.sendMessage('c', 'Hi');
const stream = () => client.streamMessage('c', 'Hi', {});

/** Writes chunks until the client disconnects. */
async function flood(response: ServerResponse, type: string, chunk: string): Promise<void> {
  response.writeHead(200, { 'Content-Type': type });
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  // Stops far beyond the limit, for a client that never disconnects.
  for (let written = 0; !response.closed && written < 4 * limits.responseBody; written += chunk.length) {
    if (!response.write(chunk)) {
      await Promise.race([closed, new Promise((resolve) => response.once('drain', resolve))]);
    }
  }
  response.end();
}

describe('an invalid response', () => {
  const invalidBodies: [description: string, body: unknown][] = [
    ['an empty body', ''],
    ['an HTML page', '<!doctype html><title>Welcome</title>'],
    ['truncated JSON', '{"status": true, "mess'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a string', '"fine"'],
    ['an empty object', '{}'],
    ['no message', { status: true }],
    ['a message of a wrong type', { status: true, message: 5 }],
    ['a status of a wrong type', { status: 'true', message: 'Hi' }],
    ['an error without a message', { status: false }],
    ['invalid UTF-8', Uint8Array.of(0xff, 0xfe, 0x80)],
  ];
  for (const [description, body] of invalidBodies) {
    it(`is reported as bad-response: ${description}`, async () => {
      for (const call of [send, stream]) {
        server.answerNext('send', body);
        const { code, status, outcomeUnknown } = await errorOf(call());
        assert.deepEqual([code, status, outcomeUnknown], ['bad-response', 200, true]);
      }
    });
  }

  it('is reported as bad-response by the other operations', async () => {
    for (const body of [
      { status: true },
      { status: true, conversation_id: '' },
      { status: true, conversation_id: 3 },
    ]) {
      server.answerNext('open', body);
      assert.equal((await errorOf(client.openConversation({ assistant_id: 'a' }))).code, 'bad-response');
    }
    server.answerNext('read', { status: true, history: 'long' });
    assert.equal((await errorOf(client.resumeConversation('c'))).code, 'bad-response');
    server.answerNext('widget', { status: true, data: 'dark' });
    assert.equal((await errorOf(client.readWidget('a'))).code, 'bad-response');
  });
});

describe('a broken connection', () => {
  const cuts = ['unread', 'unanswered', 'half'] as const;
  for (const cut of cuts) {
    it(`is reported as network error with an unknown outcome: ${cut}`, async () => {
      const { conversation_id } = await client.openConversation({ assistant_id: 'a' });
      for (const call of ['sendMessage', 'streamMessage'] as const) {
        server.next('send', { cut });
        const sent =
          call === 'sendMessage'
            ? client.sendMessage(conversation_id, 'Hi')
            : client.streamMessage(conversation_id, 'Hi', {});
        const error = await errorOf(sent);
        assert.deepEqual([error.code, error.outcomeUnknown], ['network', true]);
        assert.notEqual(error.cause, undefined);
      }
      assert.equal(server.historyOf(conversation_id).length, cut === 'unread' ? 0 : 4);
    });
  }

  it('is reported as network error if the server is unreachable', async () => {
    const unreachable = new ChatClient({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    assert.equal((await errorOf(unreachable.sendMessage('c', 'Hi'))).code, 'network');
    assert.equal((await errorOf(unreachable.streamMessage('c', 'Hi', {}))).code, 'network');
    assert.equal((await errorOf(unreachable.openConversation({ assistant_id: 'a' }))).code, 'network');
  });
});

describe('an endless response', () => {
  for (const [description, type, call] of [
    ['JSON', 'application/json', send],
    ['JSON instead of an event stream', 'application/json', stream],
    ['events', 'text/event-stream', stream],
  ] as const) {
    it(`is aborted at the limit: ${description}`, async () => {
      const filler = 'x'.repeat(512 * 1024);
      const ended = Promise.withResolvers<undefined>();
      server.next('send', {
        raw: async (response) => {
          await flood(
            response,
            type,
            type === 'application/json' ? filler : `event: fill\ndata: ${filler}\n\n`,
          );
          ended.resolve(undefined);
        },
      });
      const { code, message, outcomeUnknown } = await errorOf(call());
      assert.deepEqual([code, outcomeUnknown], ['response-too-large', true]);
      assert.match(message, new RegExp(String(limits.responseBody)));
      await ended.promise;
    });
  }

  it('is read up to the limit', async () => {
    const bodyOf = (excess: number): string => {
      const message = 'x'.repeat(limits.responseBody + excess - '{"status":true,"message":""}'.length);
      return JSON.stringify({ status: true, message });
    };
    server.answerNext('send', bodyOf(0));
    assert.ok((await send()).message.length > 0);
    server.answerNext('send', bodyOf(1));
    assert.equal((await errorOf(send())).code, 'response-too-large');
  });
});

describe('any response', () => {
  it('causes no other error than a ChatError', async () => {
    const statuses = [200, 200, 201, 400, 404, 422, 429, 500];
    const types = ['application/json', 'text/event-stream', 'text/html', ''];
    let failed = 0;
    for (const [n, body] of malformedBodies(400).entries()) {
      const status = statuses[n % statuses.length];
      const answer = { status: status ?? 200, headers: { 'Content-Type': types[n % 3] ?? '' }, body };
      for (const operation of ['open', 'read', 'send', 'send', 'widget'] as const)
        server.next(operation, { answer });
      const calls = await Promise.allSettled<unknown>([
        client.openConversation({ assistant_id: 'a' }),
        client.resumeConversation('c'),
        send(),
        stream(),
        client.readWidget('a'),
      ]);
      for (const call of calls) {
        if (call.status === 'fulfilled') continue;
        assert.ok(call.reason instanceof ChatError, `${String(call.reason)} for ${String(body)}`);
        failed++;
      }
    }
    assert.equal(server.pendingSteps, 0);
    assert.ok(failed > 1000, `only ${failed} of 2000 calls failed`);
  });
});
