import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { ChatClient } from '../../src/client/chat-client.ts';
import { solveChallenge } from '../../src/client/solve-challenge.ts';
import { countCharacters } from '../../src/contract/limits.ts';
import { newKey } from '../../src/widget/conversation/sending/new-key.ts';
import { ChatServer } from '../support/servers/chat-server.ts';

const variables = { sizes: ['S', 'M'], city: 'Bern', count: 2 };
const { from } = Array;
let server: ChatServer;

before(async () => {
  server = await ChatServer.start();
});
after(() => server.stop());

/** Replaces the built-ins that Prototype.js 1.6 replaces, as far as the client uses them. */
beforeEach(() => {
  const define = (target: object, name: string, value: unknown): void => {
    Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true });
  };
  define(Array.prototype, 'toJSON', function (this: unknown[]) {
    return `[${this.map((value) => `"${String(value)}"`).join(', ')}]`;
  });
  define(String.prototype, 'toJSON', function (this: string) {
    return `"${this}"`;
  });
  define(Array, 'from', (iterable: ArrayLike<unknown>) => {
    const results: unknown[] = [];
    for (let at = 0; at < iterable.length; at++) results.push(iterable[at]);
    return results;
  });
});
afterEach(() => {
  Reflect.deleteProperty(Array.prototype, 'toJSON');
  Reflect.deleteProperty(String.prototype, 'toJSON');
  Array.from = from;
});

describe('on a page with Prototype.js, the client', () => {
  it('sends variables unchanged', async () => {
    // The test server shares the process, so its JSON is written by hand.
    server.answerNext('open', '{"status":true,"conversation_id":"c","history":[]}');
    const client = new ChatClient({ baseUrl: server.url });
    await client.openConversation({ assistant_id: 'a', variables });
    assert.deepEqual(server.seen('open')[0]?.body, { assistant_id: 'a', variables });
  });

  it('solves the challenge of a proof of work', async () => {
    const challenge = createHash('sha256').update('salt&317').digest('hex');
    const given = { algorithm: 'SHA-256', challenge, salt: 'salt&', signature: 's' };
    const payload = await solveChallenge({ ...given, maxnumber: 1000 }, undefined);
    assert.deepEqual(JSON.parse(atob(payload ?? '')), { ...given, number: 317 });
  });

  it('sends a BigInt as the page has defined it', async () => {
    Object.defineProperty(BigInt.prototype, 'toJSON', {
      value(this: bigint) {
        return this.toString();
      },
      configurable: true,
    });
    try {
      server.answerNext('open', '{"status":true,"conversation_id":"c","history":[]}');
      const client = new ChatClient({ baseUrl: server.url });
      await client.openConversation({ assistant_id: 'big', variables: { order: 10n as never } });
      const request = server
        .seen('open')
        .find(({ body }) => (body as { assistant_id: string }).assistant_id === 'big');
      assert.deepEqual(request?.body, { assistant_id: 'big', variables: { order: '10' } });
    } finally {
      Reflect.deleteProperty(BigInt.prototype, 'toJSON');
    }
  });

  it('counts an emoji as one character', () => {
    assert.equal(countCharacters('👍'), 1);
  });

  it('creates keys of 32 hexadecimal digits', () => {
    assert.match(newKey(), /^[0-9a-f]{32}$/);
  });
});
