import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it, mock } from 'node:test';
import { answerTo, ChatServer, gate } from '../../support/servers/chat-server.ts';
import { until } from '../../support/until.ts';
import { Browser, type Visit } from './visit.ts';

let server: ChatServer;
let browser: Browser;
let visit: Visit;
let uuid: string;

// Mocked for the whole file: clearing a mocked timer of an earlier test would clear another one.
before(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
});
after(() => {
  mock.timers.reset();
});
beforeEach(async () => {
  server = await ChatServer.start({ streams: true, greeting: 'Hello!' });
  browser = new Browser();
  visit = browser.visit(server);
  await visit.conversation.open();
  uuid = visit.conversation.snapshot.conversationId ?? '';
});
afterEach(async () => {
  visit.goAway();
  await server.stop();
});

/** Advances the mocked timers until the widget is idle. */
const settled = (): Promise<void> =>
  visit.settled(() => {
    mock.timers.tick(50);
  });
const stored = (): string[] => server.historyOf(uuid).map(({ content }) => content);
const wasSent = (count: number) => () => server.seen('send').length === count && server.active === 0;

describe('a message whose answer was lost', () => {
  it('is looked up and not sent again', async () => {
    server.next('send', { cut: 'unanswered' });
    visit.conversation.send('One');
    await settled();
    assert.deepEqual(visit.states, ['One failed']);
    visit.conversation.retry();
    await settled();
    assert.deepEqual(visit.log, ['assistant: Hello!', 'user: One', `assistant: ${answerTo('One')}`]);
    assert.equal(server.seen('send').length, 1);
    assert.deepEqual(visit.events.slice(1), ['problem network', 'sent One', `answer ${answerTo('One')}`]);
  });

  it('is not confused with an earlier one of the same text', async () => {
    visit.conversation.send('Yes');
    await settled();
    server.next('send', { cut: 'unread' });
    visit.conversation.send('Yes');
    await settled();
    visit.conversation.retry();
    await settled();
    assert.deepEqual(stored(), ['Hello!', 'Yes', answerTo('Yes'), 'Yes', answerTo('Yes')]);
  });

  it('is found if the service trims the text', async () => {
    server.next('send', { cut: 'unread' });
    visit.conversation.send('  One\n');
    await settled();
    server.write(uuid, { role: 'user', content: 'One' }, { role: 'assistant', content: 'Found' });
    visit.conversation.retry();
    await settled();
    assert.equal(server.seen('send').length, 0);
    assert.deepEqual(visit.log.slice(1), ['user: One', 'assistant: Found']);
  });

  for (const [what, status, body] of [
    ['too many requests', 429, { message: 'Too Many Attempts.', retry_after: 9 }],
    ['a refusal', 403, { error: 'Not now' }],
    ['an error', 500, {}],
  ] as const) {
    it(`is not sent twice if the lookup meets ${what}`, async () => {
      server.next('send', { cut: 'unanswered' });
      visit.conversation.send('One');
      await settled();
      server.answerNext('read', body, status);
      visit.conversation.retry();
      await until(() => server.seen('read').length === 1);
      await settled();
      const { key } = visit.conversation.snapshot.messages.at(-1) ?? {};
      visit.conversation.retry(key);
      await settled();
      assert.deepEqual(stored(), ['Hello!', 'One', answerTo('One')]);
      assert.deepEqual(visit.states, ['One sent']);
    });
  }

  it('waits for a late answer in the history', async () => {
    const { opened, open } = gate();
    server.next('send', { cut: 1, thinking: opened });
    visit.conversation.send('One');
    await until(() => visit.log.length === 3);
    assert.deepEqual(visit.log.slice(1), ['user: One', 'assistant: You ']);
    await until(
      () => server.seen('read').length === 3,
      () => {
        mock.timers.tick(100);
      },
    );
    assert.equal(visit.conversation.snapshot.status, 'replying');
    open();
    await settled();
    assert.deepEqual(visit.log.slice(1), ['user: One', `assistant: ${answerTo('One')}`]);
    assert.equal(server.seen('send').length, 1);
  });

  it('is kept if no answer comes', async () => {
    server.next('send', { cut: 1, thinking: gate().opened });
    visit.conversation.send('One');
    await settled();
    assert.deepEqual(visit.states, ['One sent']);
    assert.deepEqual(visit.problems, []);
    assert.deepEqual(browser.pending, ['One']);
    assert.equal(server.seen('send').length, 1);
  });
});

describe('a service that returns only the end of a history', () => {
  for (const what of ['arrived', 'was lost'] as const) {
    it(`has a message once that ${what} without an answer, though all messages are equally long`, async () => {
      for (const text of ['One', 'Two', 'Six']) {
        visit.conversation.send(text);
        await settled();
      }
      server.next('send', { cut: what === 'arrived' ? 'unanswered' : 'unread' });
      visit.conversation.send('Two');
      await settled();
      const history = server.historyOf(uuid).slice(-4);
      for (let looks = 0; looks < 4; looks++) server.answerNext('read', { status: true, history });
      visit.conversation.retry();
      await settled();
      assert.deepEqual(
        stored().filter((text) => text.length === 3),
        ['One', 'Two', 'Six', 'Two'],
      );
      assert.deepEqual(visit.states, ['One sent', 'Two sent', 'Six sent', 'Two sent']);
    });
  }
});

describe('a message that the service loses during its answer', () => {
  it('is kept, and sent again by a retry', async () => {
    server.next('send', { cut: 1, loses: true });
    visit.conversation.send('One');
    await settled();
    assert.deepEqual(visit.log, ['assistant: Hello!', 'user: One']);
    assert.deepEqual(visit.states, ['One failed']);
    assert.equal(visit.problems.at(-1)?.code, 'network');
    visit.conversation.retry();
    await settled();
    assert.deepEqual(stored(), ['Hello!', 'One', answerTo('One')]);
    assert.deepEqual(visit.log.length, 3);
  });

  it('is sent again at once if a lookup had found it before', async () => {
    const { opened, open } = gate();
    server.next('send', { cut: 'unanswered', thinking: opened, loses: true });
    visit.conversation.send('One');
    await settled();
    visit.conversation.retry();
    await until(() => server.seen('read').length === 1);
    open();
    await settled();
    assert.deepEqual(stored(), ['Hello!', 'One', answerTo('One')]);
    assert.deepEqual(visit.events.slice(1), ['problem network', 'sent One', `answer ${answerTo('One')}`]);
  });
});

describe('a page that closes while an answer streams', () => {
  it('stores the message until its answer is complete, whatever else is stored meanwhile', async () => {
    const { opened, open } = gate();
    server.next('send', { thinking: opened });
    visit.conversation.send('One');
    await until(() => visit.log.length === 3);
    visit.conversation.draft = 'And ';
    visit.conversation.send('Two');
    assert.deepEqual(browser.pending, ['One', 'Two']);
    visit.goAway();

    const next = browser.visit(server);
    assert.equal(next.conversation.draft, 'And ');
    void next.conversation.open();
    await until(() => server.seen('read').length > 1);
    open();
    await next.settled(() => {
      mock.timers.tick(50);
    });
    assert.deepEqual(stored(), ['Hello!', 'One', answerTo('One'), 'Two', answerTo('Two')]);
    assert.deepEqual(next.states, ['One sent', 'Two sent']);
  });

  it('shows the message once, also during the lookup', async () => {
    const { opened, open } = gate();
    server.next('send', { thinking: opened });
    visit.conversation.send('One');
    await until(() => server.seen('send').length === 1);
    visit.goAway();

    const next = browser.visit(server);
    const seen = new Set<string>();
    next.onChange = () => seen.add(next.log.join(', '));
    void next.conversation.open();
    await until(() => server.seen('read').length > 1);
    open();
    await next.settled(() => {
      mock.timers.tick(50);
    });
    assert.deepEqual(
      [...seen],
      [
        'user: One',
        'assistant: Hello!, user: One',
        `assistant: Hello!, user: One, assistant: ${answerTo('One')}`,
      ],
    );
  });
});

describe('a message in flight during a reload', () => {
  // Without idempotency keys it cannot be distinguished from a lost one.
  it('is stored once by a service with idempotency keys', async (test) => {
    const keyed = await ChatServer.start({ knowsKeys: true });
    test.after(() => keyed.stop());
    const [first, { opened, open }] = [browser.visit(keyed), gate()];
    first.conversation.leave();
    await first.conversation.open();
    keyed.next('send', { transit: opened });
    first.conversation.send('One');
    await until(() => keyed.seen('send').length === 1);
    first.goAway();
    const second = browser.visit(keyed);
    void second.conversation.open();
    await until(
      () => second.isSettled,
      () => {
        mock.timers.tick(50);
      },
    );
    open();
    await until(() => keyed.active === 0);
    const history = keyed.historyOf(second.conversation.snapshot.conversationId ?? '');
    assert.deepEqual(
      history.map(({ content }) => content),
      ['One', answerTo('One')],
    );
  });
});

describe('a message whose request never left', () => {
  it('is sent again after a lookup in the history', async () => {
    server.next('send', { cut: 'unread' });
    visit.conversation.send('One');
    await settled();
    visit.conversation.retry();
    await settled();
    assert.equal(wasSent(1)(), true);
    assert.ok(server.seen('read').length > 0);
    assert.deepEqual(stored(), ['Hello!', 'One', answerTo('One')]);
  });
});
