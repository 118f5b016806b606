import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { VisitStorage } from '../../../src/widget/conversation/storage/visit-storage.ts';
import { ChatServer } from '../../support/servers/chat-server.ts';
import { until } from '../../support/until.ts';
import { Browser, Visit } from './visit.ts';

let server: ChatServer;

beforeEach(async () => {
  server = await ChatServer.start({ greeting: 'Hello!', knowsKeys: true });
});
afterEach(() => server.stop());

/** A browser's storage that is full. */
function fullStorage(): Storage {
  return {
    length: 0,
    clear: () => undefined,
    key: () => null,
    getItem: () => null,
    removeItem: () => undefined,
    setItem: () => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    },
  };
}

describe('a chat in a browser whose storage is full', () => {
  it('keeps the draft and opens one conversation after a failed attempt', async () => {
    const visit = new Visit(new Browser(), fullStorage(), server, {});
    visit.conversation.draft = 'Half a thought';
    server.next('open', { cut: 'unanswered' });
    await visit.conversation.open();
    assert.equal(visit.conversation.snapshot.status, 'failed');
    visit.conversation.retry();
    await until(() => visit.conversation.snapshot.status === 'ready');
    assert.equal(visit.conversation.draft, 'Half a thought');
    const keys = server.seen('open').map(({ headers }) => headers['idempotency-key']);
    assert.equal(new Set(keys).size, 1);
    assert.equal(server.conversations.length, 1);
    visit.goAway();
  });

  it('does not return to a conversation that was left', async () => {
    const visit = new Visit(new Browser(), fullStorage(), server, {});
    await visit.conversation.open();
    visit.conversation.leave();
    visit.conversation.draft = 'New';
    await visit.conversation.open();
    assert.equal(visit.conversation.draft, 'New');
    assert.equal(visit.conversation.snapshot.conversationId, server.conversations[1]);
    visit.goAway();
  });
});

describe('the storage of a visit', () => {
  it('returns a value that the browser did not store', () => {
    const storage = new VisitStorage(fullStorage());
    storage.setItem('key', 'value');
    assert.equal(storage.getItem('key'), 'value');
    storage.removeItem('key');
    assert.equal(storage.getItem('key'), '');
  });
});
