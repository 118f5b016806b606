import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { answerTo, ChatServer, gate } from '../../support/servers/chat-server.ts';
import { until } from '../../support/until.ts';
import { Browser, type Visit } from './visit.ts';

let server: ChatServer;
let browser: Browser;
let visit: Visit;

beforeEach(async () => {
  server = await ChatServer.start({ streams: true, greeting: 'Hello!' });
  browser = new Browser();
  visit = browser.visit(server);
  await visit.conversation.open();
});
afterEach(async () => {
  browser.close();
  await server.stop();
});

/** Sends a message and stops in the middle of its answer; returns a function that continues the answer. */
async function inTheMiddle(): Promise<() => void> {
  const { opened, open } = gate();
  server.next('send', { thinking: opened });
  visit.conversation.send('One');
  await until(() => visit.conversation.snapshot.messages.at(-1)?.status === 'streaming');
  return open;
}

describe('leaving a conversation in the middle of an answer', () => {
  for (const [what, leave] of [
    [
      'by leaving',
      () => {
        visit.conversation.leave();
      },
    ],
    [
      'by forgetting',
      () => {
        visit.conversation.forget();
      },
    ],
  ] as const) {
    it(`${what} empties it, and what still arrives is ignored`, async () => {
      const goOn = await inTheMiddle();
      visit.conversation.choose({ ratings: { a: 'up' } });
      const { length } = visit.events;
      leave();
      goOn();
      await until(() => server.active === 0);
      assert.deepEqual(visit.log, []);
      const { status, conversationId, choices } = visit.conversation.snapshot;
      assert.deepEqual([status, conversationId, choices], ['idle', undefined, undefined]);
      assert.equal(browser.visit(server).conversation.snapshot.choices, undefined);
      assert.equal(visit.events.length, length);
    });
  }

  it('lets a new one begin at once, with nothing of the old one', async () => {
    const goOn = await inTheMiddle();
    visit.conversation.leave();
    const opening = visit.conversation.open();
    goOn();
    await opening;
    visit.conversation.send('New');
    await visit.settled();
    assert.deepEqual(visit.log, ['assistant: Hello!', 'user: New', `assistant: ${answerTo('New')}`]);
    assert.equal(server.conversations.length, 2);
    assert.equal(server.seen('send').filter(({ body }) => JSON.stringify(body).includes('One')).length, 1);
  });

  it('starts a new one for a signed-in user on the next page, too', async () => {
    const request = { userToken: 'e30.e30.e30' };
    const first = browser.visit(server, { request });
    await first.conversation.open();
    first.conversation.leave();
    first.goAway();
    await browser.visit(server, { request }).conversation.open();
    await browser.visit(server, { request }).conversation.open();
    const isNew = server
      .seen('open')
      .map(({ body }) => (body as { new_conversation?: boolean }).new_conversation);
    // The first is that of `beforeEach`. The last visit resumes the stored conversation.
    assert.deepEqual(isNew, [undefined, true]);
  });

  it('marks nothing as unread when the visitor returns, in other tabs neither', async () => {
    visit.conversation.send('One');
    await visit.settled();
    visit.conversation.setVisible(true);
    const { conversationId: leftId = '' } = visit.conversation.bookmark ?? {};
    visit.conversation.startNew();
    await until(() => visit.conversation.snapshot.status === 'ready');
    visit.conversation.returnTo({ conversationId: leftId, seen: 1 });
    assert.match([...browser.kept.values()].join(), /"seen":1/);
    await until(() => visit.conversation.snapshot.status === 'ready');
    assert.equal(visit.log.length, 3);
    assert.equal(visit.conversation.snapshot.unread, 1);
  });

  it('shows the answer when the visitor returns, however late', async () => {
    const goOn = await inTheMiddle();
    const { conversationId: leftId = '' } = visit.conversation.bookmark ?? {};
    visit.conversation.startNew();
    await until(() => visit.conversation.snapshot.status === 'ready');
    visit.conversation.setVisible(true);
    visit.conversation.returnTo({ conversationId: leftId });
    await until(() => visit.conversation.snapshot.status === 'ready');
    assert.deepEqual(visit.log, ['assistant: Hello!', 'user: One']);
    goOn();
    await until(() => visit.log.length === 3);
    assert.equal(visit.log[2], `assistant: ${answerTo('One')}`);
  });

  it('drops delivered messages at a restart, and keeps undelivered ones', async () => {
    const goOn = await inTheMiddle();
    visit.conversation.send('Two');
    visit.conversation.startNew();
    goOn();
    await visit.settled();
    assert.deepEqual(visit.log, ['assistant: Hello!', 'user: Two', `assistant: ${answerTo('Two')}`]);
  });

  it('sends kept messages without reading the old or the new history', async () => {
    server.next('send', { cut: 'unanswered' });
    visit.conversation.send('One');
    await visit.settled();
    visit.conversation.startNew();
    await visit.settled();
    assert.deepEqual(visit.states, ['One sent']);
    assert.equal(server.seen('read').length, 0);
  });

  it('is possible while it opens, and a late answer opens nothing', async () => {
    visit.conversation.leave();
    const { opened, open } = gate();
    server.next('open', { transit: opened });
    const first = visit.conversation.open();
    await until(() => server.seen('open').length === 2);
    visit.conversation.leave();
    open();
    await first;
    assert.equal(visit.conversation.snapshot.status, 'idle');
    await visit.conversation.open();
    assert.equal(visit.conversation.snapshot.conversationId, server.conversations.at(-1));
    assert.deepEqual(visit.events, ['opened', 'opened']);
  });

  it('many times ends in one conversation and one answer', async () => {
    for (let n = 0; n < 10; n++) {
      visit.conversation.send(`Lost ${n}`);
      visit.conversation.leave();
      void visit.conversation.open();
    }
    visit.conversation.send('Last');
    await visit.settled();
    assert.deepEqual(visit.log, ['assistant: Hello!', 'user: Last', `assistant: ${answerTo('Last')}`]);
    assert.equal(visit.events.filter((event) => event.startsWith('answer')).length, 1);
  });
});

describe('`forget()` while the conversation opens', () => {
  it('deletes the conversation from the service as soon as it has an ID', async () => {
    visit.conversation.leave();
    const { opened, open } = gate();
    server.next('open', { transit: opened });
    const opening = visit.conversation.open();
    await until(() => server.seen('open').length === 2);
    visit.conversation.forget();
    open();
    await opening;
    await until(() => server.seen('delete').length === 1 && server.conversations.length === 1);
    await until(() => browser.kept.size === 0);
    assert.equal(visit.conversation.snapshot.status, 'idle');
  });
});

describe('the stored conversation', () => {
  it('after leaving is the draft only', async () => {
    visit.conversation.send('One');
    await visit.settled();
    visit.conversation.draft = 'Two';
    visit.conversation.leave();
    const again = browser.visit(server);
    assert.equal(again.conversation.draft, 'Two');
    await again.conversation.open();
    assert.deepEqual(again.events, ['opened']);
  });

  it('after leaving has unsent messages appended to the draft', async () => {
    visit.conversation.send('Delivered');
    await visit.settled();
    server.next('send', { cut: 'unread' });
    visit.conversation.send('One');
    visit.conversation.send('Two');
    await visit.settled();
    assert.deepEqual(visit.states, ['Delivered sent', 'One failed', 'Two queued']);
    visit.conversation.draft = 'Three';
    visit.conversation.leave();
    assert.equal(visit.conversation.draft, 'Three\n\nOne\n\nTwo');
    assert.deepEqual(visit.log, []);
    const again = browser.visit(server);
    assert.deepEqual([again.conversation.draft, again.states], ['Three\n\nOne\n\nTwo', []]);
  });

  it('after leaving has unsent messages as the draft if that is empty', async () => {
    server.next('send', { cut: 'unread' });
    visit.conversation.send('One');
    await visit.settled();
    visit.conversation.leave();
    assert.equal(visit.conversation.draft, 'One');
  });

  it('after forgetting has no unsent messages', async () => {
    server.next('send', { cut: 'unread' });
    visit.conversation.send('One');
    await visit.settled();
    visit.conversation.forget();
    await until(() => server.conversations.length === 0);
    await until(() => browser.kept.size === 0);
    assert.equal(visit.conversation.draft, '');
  });

  it('after forgetting is empty', async () => {
    visit.conversation.send('One');
    await visit.settled();
    visit.conversation.draft = 'Two';
    assert.notEqual(browser.kept.size, 0);
    visit.conversation.forget();
    assert.doesNotMatch([...browser.kept.values()].join(), /One|Two/);
    await until(() => browser.kept.size === 0);
    assert.equal(visit.conversation.draft, '');
  });

  it('has no answers and no history', async () => {
    visit.conversation.send('One');
    await visit.settled();
    assert.doesNotMatch([...browser.kept.values()].join(), /Hello|You said|One/);
  });
});
