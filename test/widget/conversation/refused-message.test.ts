import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ChatServer } from '../../support/servers/chat-server.ts';
import { Browser, type Visit } from './visit.ts';

let server: ChatServer;
let browser: Browser;
let visit: Visit;

beforeEach(async () => {
  server = await ChatServer.start({ streams: true });
  browser = new Browser();
  visit = browser.visit(server);
  await visit.conversation.open();
});
afterEach(async () => {
  visit.goAway();
  await server.stop();
});

const sent = (): unknown[] => server.seen('send').map(({ body }) => (body as { message: string }).message);

describe('a message that is refused', () => {
  const refuse = async (text: string): Promise<void> => {
    server.answerNext('send', { status: false, error: 'message must not shout' }, 422);
    visit.conversation.send(text);
    await visit.settled();
  };

  it('shows the reason, and returns to the draft', async () => {
    await refuse('ONE');
    assert.deepEqual(visit.states, ['ONE failed']);
    assert.equal(visit.conversation.snapshot.messages[0]?.problem?.message, 'message must not shout');
    assert.equal(visit.conversation.draft, 'ONE');
  });

  it('does not replace a draft that is written meanwhile', async () => {
    visit.conversation.draft = 'Two';
    await refuse('ONE');
    assert.equal(visit.conversation.draft, 'Two');
  });

  it('is not sent again, neither by a retry, nor with another one, nor in a new conversation', async () => {
    await refuse('ONE');
    visit.conversation.retry(visit.conversation.snapshot.messages[0]?.key);
    visit.conversation.send('Two');
    await visit.settled();
    assert.deepEqual(visit.states, ['ONE failed', 'Two sent']);
    visit.conversation.startNew();
    await visit.settled();
    assert.deepEqual(sent(), ['ONE', 'Two']);
  });

  it('is not sent again at the next visit, and is in its draft', async () => {
    await refuse('ONE');
    assert.deepEqual(browser.pending, []);
    visit.goAway();
    const next = browser.visit(server);
    await next.conversation.open();
    await next.settled();
    assert.deepEqual([next.states, next.conversation.draft, sent()], [[], 'ONE', ['ONE']]);
    next.goAway();
  });

  it('is kept if only the lookup was refused, since it may have arrived', async () => {
    server.next('send', { cut: 'unanswered' });
    visit.conversation.send('One');
    await visit.settled();
    server.answerNext('read', { status: false, error: 'No' }, 422);
    visit.conversation.retry();
    await visit.settled();
    assert.deepEqual([browser.pending, visit.conversation.draft], [['One'], '']);
  });
});
