import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConversationStore } from '../../../src/widget/conversation/storage/conversation-store.ts';
import {
  nothingStored,
  type StoredConversation,
} from '../../../src/widget/conversation/storage/stored-conversation.ts';
import { ChatServer } from '../../support/servers/chat-server.ts';
import { Browser, Visit } from './visit.ts';

type Storage = NonNullable<ConstructorParameters<typeof ConversationStore>[0]>;

const refuse = (): never => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
};
const blocked: Storage = { getItem: refuse, setItem: refuse, removeItem: refuse };

function storageOf(kept = new Map<string, string>()): Storage {
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
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
    new ConversationStore(storage, 'a').write(full);
    assert.deepEqual(new ConversationStore(storage, 'a').read(), full);
  });

  it('is separate from those of other assistants', () => {
    const storage = storageOf();
    new ConversationStore(storage, 'a').write(full);
    assert.deepEqual(new ConversationStore(storage, 'b').read(), nothingStored);
  });

  it('leaves no trace when it is empty', () => {
    const kept = new Map<string, string>();
    const store = new ConversationStore(storageOf(kept), 'a');
    store.write(full);
    assert.deepEqual([...kept.keys()], ['voice-assistant-chat:conversation:a', 'voice-assistant-chat:wake']);
    store.write({ ...nothingStored, conversationId: undefined });
    assert.equal(kept.size, 0);
  });

  it('is stored as soon as it has content', () => {
    for (const part of [{ conversationId: 'c' }, { draft: 'D' }, { pending: full.pending }]) {
      const store = new ConversationStore(storageOf(), 'a');
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
      assert.deepEqual(new ConversationStore(storage, 'a').read(), nothingStored);
    });
  }

  it('keeps its valid parts', () => {
    const broken = { conversationId: 'c', draft: 7, pending: [{ key: 1 }], keptAt: Date.now() };
    const storage = storageOf(new Map([['voice-assistant-chat:conversation:a', JSON.stringify(broken)]]));
    assert.deepEqual(new ConversationStore(storage, 'a').read(), {
      conversationId: 'c',
      draft: '',
      pending: [],
    });
  });

  it('is empty if storage is missing or blocked, and writing does not throw', () => {
    for (const storage of [undefined, blocked]) {
      const store = new ConversationStore(storage, 'a');
      store.write(full);
      store.write(nothingStored);
      assert.deepEqual(store.read(), nothingStored);
    }
  });

  it('is unchanged if storage is full', () => {
    const storage = storageOf();
    new ConversationStore(storage, 'a').write(full);
    const store = new ConversationStore({ ...storage, setItem: refuse }, 'a');
    store.write({ ...full, draft: 'Hello' });
    assert.equal(store.read().draft, 'Hel');
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
