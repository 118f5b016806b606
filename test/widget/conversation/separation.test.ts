import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ChatServer } from '../../support/servers/chat-server.ts';
import { until } from '../../support/until.ts';
import { BrowserOfTabs } from './browser-of-tabs.ts';
import { Browser, type Visit } from './visit.ts';

const result = { name: 'find_size', arguments: {}, result: 'M' };
const variables: Record<string, unknown> = {};
let server: ChatServer;
let visit: Visit;

beforeEach(async () => {
  server = await ChatServer.start({ streams: true, greeting: 'Hello!' });
  for (const name of Object.keys(variables)) Reflect.deleteProperty(variables, name);
  variables['city'] = 'Bern';
  visit = new Browser().visit(server, { request: { variables } });
  await visit.conversation.open();
});
afterEach(async () => {
  visit.goAway();
  await server.stop();
});

async function say(text: string): Promise<void> {
  visit.conversation.send(text);
  await visit.settled();
}

/** The extras of the latest message. */
function latestExtras(): Record<string, unknown> {
  const body = server.seen('send').at(-1)?.body as Record<string, unknown>;
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'message'));
}

describe('one conversation', () => {
  for (const [how, leave] of [
    [
      'leaving',
      () => {
        visit.conversation.leave();
      },
    ],
    [
      'starting a new one',
      () => {
        visit.conversation.startNew();
      },
    ],
    [
      'forgetting',
      () => {
        visit.conversation.forget();
      },
    ],
  ] as const) {
    it(`passes no tool result on to the next one after ${how}`, async () => {
      await say('One');
      visit.conversation.addToolResult(result);
      leave();
      await visit.conversation.open();
      await until(() => visit.conversation.snapshot.status === 'ready');
      await say('Two');
      assert.deepEqual(latestExtras(), {});
    });
  }

  it('keeps its pending tool results until the visitor returns', async () => {
    await say('One');
    visit.conversation.addToolResult(result);
    const { bookmark } = visit.conversation;
    visit.conversation.startNew();
    await until(() => visit.conversation.snapshot.status === 'ready');
    visit.conversation.returnTo(bookmark as NonNullable<typeof bookmark>);
    await until(() => visit.conversation.snapshot.status === 'ready');
    await say('Two');
    assert.deepEqual(latestExtras(), { tool_results: [result] });
  });

  it('gets changed variables although the next one has them already', async () => {
    await say('One');
    const { bookmark } = visit.conversation;
    variables['city'] = 'Basel';
    visit.conversation.startNew();
    await until(() => visit.conversation.snapshot.status === 'ready');
    visit.conversation.returnTo(bookmark as NonNullable<typeof bookmark>);
    await until(() => visit.conversation.snapshot.status === 'ready');
    await say('Two');
    assert.deepEqual(latestExtras(), { variables: { city: 'Basel' } });
  });

  it('gets its variables again after a reload and after a refusal, and otherwise not', async () => {
    const browser = new Browser();
    const request = { variables };
    const first = browser.visit(server, { request });
    await first.conversation.open();
    first.goAway();
    visit = browser.visit(server, { request });
    await visit.conversation.open();
    await say('One');
    assert.deepEqual(latestExtras(), { variables });
    await say('Two');
    assert.deepEqual(latestExtras(), {});
    server.answerNext('send', { message: 'Not now' }, 429);
    await say('Three');
    visit.conversation.retry();
    await visit.settled();
    assert.deepEqual(latestExtras(), { variables });
  });

  it('does not get its variables again when the visitor returns', async () => {
    await say('One');
    const { bookmark } = visit.conversation;
    visit.conversation.startNew();
    await until(() => visit.conversation.snapshot.status === 'ready');
    visit.conversation.returnTo(bookmark as NonNullable<typeof bookmark>);
    await until(() => visit.conversation.snapshot.status === 'ready');
    await say('Two');
    assert.deepEqual(latestExtras(), {});
  });
});

describe('a chat that its page removes and inserts again', () => {
  for (const [where, openTab] of [
    ['a tab among others', () => new BrowserOfTabs().open(server)],
    ['a browser without tabs', () => new Browser().visit(server)],
  ] as const)
    it(`sends a message that failed before, in ${where}`, async () => {
      const moved = openTab();
      await moved.conversation.open();
      server.next('send', { cut: 'unread' });
      moved.conversation.send('One');
      await moved.settled();
      assert.deepEqual(moved.states, ['One failed']);
      moved.conversation.disconnect();
      await moved.conversation.open();
      await until(() => moved.states.join() === 'One sent');
      assert.equal(server.seen('send').length, 1);
      moved.goAway();
    });
});

describe('two tabs', () => {
  it('send a tool result once', async () => {
    const tabs = new BrowserOfTabs();
    const first = tabs.open(server);
    await first.conversation.open();
    first.conversation.send('One');
    await first.settled();
    first.conversation.addToolResult(result);
    const second = tabs.open(server);
    await second.conversation.open();
    first.conversation.send('Two');
    await until(() => second.log.includes('user: Two') && first.isSettled);
    await until(() => !JSON.stringify([...tabs.browser.kept]).includes('find_size'));
    second.conversation.send('Three');
    await until(() => second.states.at(-1) === 'Three sent');
    await second.settled();
    const sent = server.seen('send').filter(({ body }) => JSON.stringify(body).includes('find_size'));
    assert.equal(sent.length, 1);
    first.goAway();
    second.goAway();
  });
});
