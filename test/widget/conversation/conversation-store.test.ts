import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConversationStore } from '../../../src/widget/conversation/storage/conversation-store.ts';
import { VisitStorage, type BrowserStorage } from '../../../src/widget/conversation/storage/visit-storage.ts';
import {
  nothingStored,
  type StoredConversation,
} from '../../../src/widget/conversation/storage/stored-conversation.ts';
import { ChatServer } from '../../support/servers/chat-server.ts';
import { Browser, Visit } from './visit.ts';

const refuse = (): never => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
};
const blocked: BrowserStorage = { getItem: refuse, setItem: refuse, removeItem: refuse };

function storageOf(kept = new Map<string, string>()): BrowserStorage {
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

/** The store of another page that uses the storage. */
function storeOf(storage: BrowserStorage | undefined, name = 'a'): ConversationStore {
  return new ConversationStore(new VisitStorage(storage), name);
}

const full: StoredConversation = {
  conversationId: 'c',
  draft: 'Hel',
  pending: [
    { key: '1', text: 'One', at: 1000, attempt: { sentAfter: 0, prints: [], at: 1001 } },
    { key: '2', text: 'Two', at: 2000 },
  ],
};

describe('a stored conversation', () => {
  it('is read as it was written', () => {
    const storage = storageOf();
    storeOf(storage).write(full);
    assert.deepEqual(storeOf(storage).read(), full);
  });

  it('is separate from those of other assistants', () => {
    const storage = storageOf();
    storeOf(storage).write(full);
    assert.deepEqual(storeOf(storage, 'b').read(), nothingStored);
  });

  it('leaves no trace when it is empty', () => {
    const kept = new Map<string, string>();
    const store = storeOf(storageOf(kept));
    store.write(full);
    assert.deepEqual([...kept.keys()], ['voice-assistant-chat:conversation:a', 'voice-assistant-chat:wake']);
    store.write({ ...nothingStored, conversationId: undefined });
    assert.equal(kept.size, 0);
  });

  it('is stored as soon as it has content', () => {
    for (const part of [{ conversationId: 'c' }, { draft: 'D' }, { pending: full.pending }]) {
      const store = storeOf(storageOf());
      store.write({ ...nothingStored, ...part });
      assert.deepEqual(store.read(), { ...nothingStored, ...part });
    }
  });

  for (const [what, json] of [
    ['nonsense', 'oops'],
    ['a cut end', '{"draft":"Hel'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a number', '7'],
  ] as const) {
    it(`that turned into ${what} is ignored`, () => {
      const storage = storageOf(new Map([['voice-assistant-chat:conversation:a', json]]));
      assert.deepEqual(storeOf(storage).read(), nothingStored);
    });
  }

  it('keeps its valid parts', () => {
    const broken = { conversationId: 'c', draft: 7, pending: [{ key: 1 }], keptAt: Date.now() };
    const storage = storageOf(new Map([['voice-assistant-chat:conversation:a', JSON.stringify(broken)]]));
    assert.deepEqual(storeOf(storage).read(), {
      conversationId: 'c',
      draft: '',
      pending: [],
    });
  });

  it('lasts until the page is left if storage is missing or blocked', () => {
    for (const storage of [undefined, blocked]) {
      const store = storeOf(storage);
      assert.deepEqual(store.read(), nothingStored);
      store.write(full);
      assert.deepEqual(store.read(), full);
      store.clear();
      assert.deepEqual(store.read(), nothingStored);
      store.write(full);
      assert.deepEqual(storeOf(storage).read(), nothingStored);
    }
  });

  it('lasts until the page is left if storage is full', () => {
    const storage = storageOf();
    storeOf(storage).write(full);
    const store = storeOf({ ...storage, setItem: refuse });
    store.write({ ...full, draft: 'Hello' });
    assert.equal(store.read().draft, 'Hello');
    assert.equal(storeOf(storage).read().draft, 'Hel');
  });

  it('is not needed for a chat', async (test) => {
    const server = await ChatServer.start();
    test.after(() => server.stop());
    const visit = new Visit(new Browser(), blocked, server, {});
    visit.conversation.draft = 'D';
    visit.conversation.send('One');
    await visit.settled();
    assert.deepEqual(visit.states, ['One sent']);
    visit.goAway();
  });
});
