import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ChatServer, gate } from '../../support/servers/chat-server.ts';
import { until } from '../../support/until.ts';
import { Browser, type Visit } from './visit.ts';

let server: ChatServer;
let browser: Browser;
/** Both tabs show the same conversation, and were opened before anything was written. */
let first: Visit;
let second: Visit;

beforeEach(async () => {
  server = await ChatServer.start({ streams: true });
  browser = new Browser();
  first = browser.visit(server);
  await first.conversation.open();
  second = browser.visit(server);
  await second.conversation.open();
});
afterEach(async () => {
  first.goAway();
  second.goAway();
  await server.stop();
});

/** Leaves an unsent message of that tab. */
async function failToSend(visit: Visit, text: string): Promise<void> {
  server.next('send', { cut: 'unread' });
  visit.conversation.send(text);
  await visit.settled();
  assert.equal(visit.states.at(-1), `${text} failed`);
}

describe('two tabs with one conversation', () => {
  it('keep a pending message of one while the visitor types in the other', async () => {
    await failToSend(first, 'One');
    second.conversation.draft = 'T';
    assert.deepEqual(browser.pending, ['One']);
    assert.equal(browser.visit(server).conversation.draft, 'T');
  });

  it('keep a draft of one while the other sends', async () => {
    first.conversation.draft = 'Half a thou';
    second.conversation.send('One');
    await second.settled();
    assert.equal(browser.visit(server).conversation.draft, 'Half a thou');
  });

  it('keep the latest draft of either, even if it is empty', () => {
    first.conversation.draft = 'First';
    second.conversation.draft = 'Second';
    assert.equal(browser.visit(server).conversation.draft, 'Second');
    first.conversation.draft = '';
    assert.equal(browser.visit(server).conversation.draft, '');
  });

  it('keep the messages of both, and each settles only its own', async () => {
    await failToSend(first, 'One');
    await failToSend(second, 'Two');
    assert.deepEqual(browser.pending, ['One', 'Two']);
    first.conversation.retry();
    await first.settled();
    assert.deepEqual(browser.pending, ['Two']);
    second.conversation.retry();
    await second.settled();
    assert.deepEqual(browser.pending, []);
  });

  it('do not send or show pending messages of the other', async () => {
    await failToSend(first, 'One');
    second.conversation.send('Two');
    await second.settled();
    assert.deepEqual(second.states, ['Two sent']);
    assert.deepEqual(browser.pending, ['One']);
  });

  it('leave a message of a closed tab to the next visit, which sends it once', async () => {
    await failToSend(first, 'One');
    first.goAway();
    second.conversation.draft = 'T';
    const next = browser.visit(server);
    await next.conversation.open();
    await next.settled();
    assert.deepEqual(next.states, ['One sent']);
    assert.equal(server.seen('send').length, 1);
    assert.deepEqual(browser.pending, []);
    next.goAway();
  });

  it('keep a message whose answer streams in one while the other leaves', async () => {
    const { opened, open } = gate();
    server.next('send', { thinking: opened });
    first.conversation.send('One');
    await until(() => first.log.length === 2);
    second.conversation.leave();
    assert.deepEqual(browser.pending, ['One']);
    open();
    await first.settled();
    assert.deepEqual(browser.pending, []);
  });

  it('resume the conversation that was opened last', async () => {
    second.conversation.leave();
    await second.conversation.open();
    first.conversation.draft = 'T';
    const next = browser.visit(server);
    await next.conversation.open();
    assert.equal(next.conversation.snapshot.conversationId, second.conversation.snapshot.conversationId);
    assert.equal(server.conversations.length, 2);
  });

  it('keep nothing after `forget()` in one of them', async () => {
    await failToSend(first, 'One');
    first.conversation.draft = 'T';
    second.conversation.forget();
    // The other tab finds the conversation deleted, and stores that it failed.
    await until(() => first.conversation.snapshot.status === 'failed');
    assert.deepEqual([...browser.kept], []);
  });
});
