import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { ChatClient, ChatError } from '../../src/client/chat-client.ts';
import { limits } from '../../src/contract/limits.ts';
import { ChatServer } from '../support/servers/chat-server.ts';
import { freePort } from '../support/process/free-port.ts';
import { errorOf } from './chat-error.ts';
import { oddBodies } from './odd-bodies.ts';

let server: ChatServer;
let client: ChatClient;

before(async () => {
  server = await ChatServer.start();
  client = new ChatClient({ baseUrl: server.url });
});
after(() => server.stop());

const send = () => client.sendMessage('c', 'Hi');
const stream = () => client.streamMessage('c', 'Hi', {});

/** Writes pieces until the reader hangs up. */
async function flood(response: ServerResponse, type: string, piece: string): Promise<void> {
  response.writeHead(200, { 'Content-Type': type });
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  // A reader that never hangs up would make this endless; far past the limit it has failed.
  for (let written = 0; !response.closed && written < 4 * limits.responseBody; written += piece.length) {
    if (!response.write(piece)) {
      await Promise.race([closed, new Promise((resolve) => response.once('drain', resolve))]);
    }
  }
  response.end();
}

describe('an answer that makes no sense', () => {
  const nonsense: [what: string, body: unknown][] = [
    ['nothing at all', ''],
    ['a page', '<!doctype html><title>Welcome</title>'],
    ['half of JSON', '{"status": true, "mess'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"fine"'],
    ['an empty object', '{}'],
    ['no text', { status: true }],
    ['a text of a wrong type', { status: true, message: 5 }],
    ['a status of a wrong type', { status: 'true', message: 'Hi' }],
    ['a refusal without words', { status: false }],
    ['bytes that are no text', Uint8Array.of(0xff, 0xfe, 0x80)],
  ];
  for (const [what, body] of nonsense) {
    it(`is a bad response: ${what}`, async () => {
      for (const call of [send, stream]) {
        server.answerNext('send', body);
        const { code, status, fateUnknown } = await errorOf(call());
        assert.deepEqual([code, status, fateUnknown], ['bad-response', 200, true]);
      }
    });
  }

  it('is a bad response of the other operations too', async () => {
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

describe('a connection that breaks', () => {
  const cuts = ['unread', 'unanswered', 'half'] as const;
  for (const cut of cuts) {
    it(`is a network error whose message may have arrived: ${cut}`, async () => {
      const { conversation_id } = await client.openConversation({ assistant_id: 'a' });
      for (const call of ['sendMessage', 'streamMessage'] as const) {
        server.next('send', { cut });
        const sent =
          call === 'sendMessage'
            ? client.sendMessage(conversation_id, 'Hi')
            : client.streamMessage(conversation_id, 'Hi', {});
        const error = await errorOf(sent);
        assert.deepEqual([error.code, error.fateUnknown], ['network', true]);
        assert.notEqual(error.cause, undefined);
      }
      assert.equal(server.historyOf(conversation_id).length, cut === 'unread' ? 0 : 4);
    });
  }

  it('is a network error where nobody listens', async () => {
    const nobody = new ChatClient({ baseUrl: `http://127.0.0.1:${await freePort()}` });
    assert.equal((await errorOf(nobody.sendMessage('c', 'Hi'))).code, 'network');
    assert.equal((await errorOf(nobody.streamMessage('c', 'Hi', {}))).code, 'network');
    assert.equal((await errorOf(nobody.openConversation({ assistant_id: 'a' }))).code, 'network');
  });
});

describe('an endless answer', () => {
  for (const [what, type, call] of [
    ['JSON', 'application/json', send],
    ['JSON in reply to a request for events', 'application/json', stream],
    ['events', 'text/event-stream', stream],
  ] as const) {
    it(`is given up at the limit: ${what}`, async () => {
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
      const { code, message, fateUnknown } = await errorOf(call());
      assert.deepEqual([code, fateUnknown], ['response-too-large', true]);
      assert.match(message, new RegExp(String(limits.responseBody)));
      await ended.promise;
    });
  }

  it('is taken up to the limit, and not a byte further', async () => {
    const bytes = (excess: number): string => {
      const message = 'x'.repeat(limits.responseBody + excess - '{"status":true,"message":""}'.length);
      return JSON.stringify({ status: true, message });
    };
    server.answerNext('send', bytes(0));
    assert.ok((await send()).message.length > 0);
    server.answerNext('send', bytes(1));
    assert.equal((await errorOf(send())).code, 'response-too-large');
  });
});

describe('whatever a service answers', () => {
  it('only a ChatError is thrown', async () => {
    const statuses = [200, 200, 201, 400, 404, 422, 429, 500];
    const types = ['application/json', 'text/event-stream', 'text/html', ''];
    let failed = 0;
    for (const [n, body] of oddBodies(400).entries()) {
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
    assert.ok(failed > 1000, `only ${failed} of 2000 failed`);
  });
});
