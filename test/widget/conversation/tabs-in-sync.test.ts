import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { answerTo, ChatServer, eventsOf, gate } from '../../support/servers/chat-server.ts';
import { until } from '../../support/until.ts';
import { BrowserOfTabs } from './browser-of-tabs.ts';
import { Browser, type Visit } from './visit.ts';

let server: ChatServer;
let tabs: BrowserOfTabs;
let first: Visit;
let second: Visit;

beforeEach(async () => {
  server = await ChatServer.start({ streams: true, greeting: 'Hello!' });
  tabs = new BrowserOfTabs();
  first = tabs.open(server);
  await first.conversation.open();
  second = tabs.open(server);
  await second.conversation.open();
});
afterEach(async () => {
  first.goAway();
  second.goAway();
  await server.stop();
});

describe('one conversation in two tabs', () => {
  it('has one draft', async () => {
    first.conversation.draft = 'Half a thou';
    await until(() => second.conversation.draft === 'Half a thou');
    second.conversation.draft = 'Half a thought';
    await until(() => first.conversation.draft === 'Half a thought');
  });

  it('shows messages and streaming answers of the other tab', async () => {
    const { opened, open } = gate();
    server.next('send', { thinking: opened });
    first.conversation.send('One');
    await until(() => second.log.includes('assistant: You '));
    assert.deepEqual(second.log, ['assistant: Hello!', 'user: One', 'assistant: You ']);
    open();
    await until(() => second.log.at(-1) === `assistant: ${answerTo('One')}`);
    assert.deepEqual(second.log, first.log);
    assert.equal(server.seen('send').length, 1);
  });

  it('deletes an unsent message of one tab when `forget()` is called in the other', async () => {
    server.next('send', { cut: 'unread' });
    first.conversation.send('One');
    await first.settled();
    second.conversation.forget();
    await until(() => first.log.length === 0);
    await until(() => tabs.browser.kept.size === 0);
    assert.deepEqual(tabs.browser.pending, []);
  });

  it('shows a message whose answer was lost once when the other tab has received more', async () => {
    const [uuid = ''] = server.conversations;
    server.next('send', {
      raw: (response) => {
        server.write(uuid, { role: 'user', content: 'One' });
        response.destroy();
      },
    });
    first.conversation.send('One');
    await first.settled();
    assert.deepEqual(first.states, ['One failed']);
    second.conversation.send('Two');
    await until(() => first.log.at(-1) === `assistant: ${answerTo('Two')}`);
    assert.deepEqual(first.states, ['One sent', 'Two sent']);
    assert.deepEqual(tabs.browser.pending, []);
    assert.equal(server.seen('send').length, 2);
  });

  it('requests page tools only in the tab that asked the question', async () => {
    const { opened, open } = gate();
    const call = { name: 'add_to_cart', arguments: {}, client: true };
    const write = (event: string, data: object): string =>
      `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    server.next('send', {
      raw: async (response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write(write('function_call', call) + write('delta', { text: 'Gladly' }));
        await opened;
        response.end(write('done', { status: true, message: 'Gladly', function_calls: [call] }));
      },
    });
    const calls = ({ conversation }: Visit): number[] =>
      conversation.snapshot.messages.map(({ functionCalls }) => functionCalls.length);
    first.conversation.send('One');
    await until(() => second.log.at(-1) === 'assistant: Gladly');
    assert.deepEqual(
      [calls(first), calls(second)],
      [
        [0, 0, 1],
        [0, 0, 0],
      ],
    );
    open();
    await first.settled();
  });

  it('is read at most once a second by one while an answer streams in the other', async () => {
    let answer: ServerResponse | undefined;
    server.next('send', {});
    server.next('send', {
      raw: (response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        answer = response;
      },
    });
    let reading = gate();
    server.next('read', { transit: reading.opened });
    const reads = (): number => server.seen('read').length;
    const before = reads();
    const startedAt = performance.now();
    first.conversation.send('One');
    first.conversation.send('Two');
    await until(() => answer !== undefined && reads() > before);
    for (const word of ['You', ' said', ' two', ' and', ' I', ' agree', '.']) {
      answer?.write(`event: delta\ndata: ${JSON.stringify({ text: word })}\n\n`);
      await until(() => second.log.at(-1)?.endsWith(word) === true);
      const next = gate();
      server.next('read', { transit: next.opened });
      reading.open();
      reading = next;
      // Long enough for another reading.
      for (let n = 0; n < 5; n++) await fetch(server.url);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    assert.ok(reads() - before <= 2 + seconds, `${reads() - before} in ${seconds} s`);
    reading.open();
    answer?.end(eventsOf('You said two and I agree.').at(-1));
    await until(() => second.log.at(-1) === 'assistant: You said two and I agree.');
  });

  it('is read in both when it is read in one', async () => {
    first.conversation.send('One');
    await until(() => second.conversation.snapshot.unread === 1);
    await until(() => first.conversation.snapshot.unread === 1);
    second.conversation.markRead();
    await until(() => first.conversation.snapshot.unread === 0);
  });

  it('has the visitor’s decisions in both, until it is left', async () => {
    first.conversation.choose({ ratings: { a: 'up' } });
    await until(() => second.conversation.snapshot.choices?.ratings?.['a'] === 'up');
    second.conversation.choose({ allowedTools: ['b'] });
    await until(() => first.conversation.snapshot.choices?.allowedTools?.[0] === 'b');
    first.conversation.draft = 'T';
    const third = tabs.open(server);
    assert.deepEqual(third.conversation.snapshot.choices, { ratings: { a: 'up' }, allowedTools: ['b'] });
    third.goAway();
    first.conversation.startNew();
    await until(() => second.conversation.snapshot.conversationId === server.conversations[1]);
    for (const { conversation } of [first, second, tabs.open(server)])
      assert.equal(conversation.snapshot.choices, undefined);
  });

  it('is left in both for the same new one', async () => {
    first.conversation.startNew();
    await until(() => server.conversations.length === 2);
    const { snapshot } = first.conversation;
    await until(() => second.conversation.snapshot.conversationId === server.conversations[1]);
    assert.equal(snapshot.messages.length, 0);
    assert.equal(server.seen('open').length, 2);
  });

  it('is not resumed by the next page if one of them left it', async () => {
    first.conversation.leave();
    await until(() => second.conversation.snapshot.conversationId === undefined);
    first.goAway();
    second.goAway();
    first = tabs.open(server);
    await first.conversation.open();
    assert.match(server.seen('open').at(-1)?.headers['idempotency-key'] as string, /^new-/);
  });

  it('is restored in both, with nothing unread', async () => {
    first.conversation.setVisible(true);
    second.conversation.setVisible(true);
    const { conversationId: leftId = '' } = first.conversation.bookmark ?? {};
    const isAt = (id: string | undefined): boolean =>
      [first, second].every(({ conversation: { snapshot } }) => snapshot.conversationId === id);
    first.conversation.send('One');
    await first.settled();
    first.conversation.startNew();
    await until(() => server.conversations.length === 2 && isAt(server.conversations[1]));
    first.conversation.returnTo({ conversationId: leftId, seen: 2 });
    await until(() => isAt(leftId));
    assert.deepEqual(
      [first, second].map(({ conversation }) => conversation.snapshot.unread),
      [0, 0],
    );
  });

  for (const [title, leave] of [
    ['it was left', 'startNew'],
    ['`forget()`', 'forget'],
  ] as const)
    it(`is not resumed by a tab whose chat was prepared before ${title}, and opened later`, async () => {
      first.conversation.send('One');
      await first.settled();
      const third = tabs.open(server);
      const { conversationId } = first.conversation.snapshot;
      first.conversation[leave]();
      await until(() => second.conversation.snapshot.conversationId !== conversationId);
      await until(() => first.conversation.snapshot.status !== 'opening');
      await third.conversation.open();
      const { snapshot } = third.conversation;
      assert.equal(snapshot.problem, undefined);
      assert.deepEqual(third.log, ['assistant: Hello!']);
      third.goAway();
    });

  for (const [title, leave] of [
    ['it was left', 'startNew'],
    ['`forget()`', 'forget'],
  ] as const)
    it(`gets no message that a page sends after ${title} in another tab, although its chat was prepared before`, async () => {
      first.conversation.send('One');
      await first.settled();
      const third = tabs.open(server);
      const [left = ''] = server.conversations;
      first.conversation[leave]();
      await until(() => second.conversation.snapshot.conversationId !== left);
      await until(() => first.conversation.snapshot.status !== 'opening');
      third.conversation.send('Hi');
      await third.settled();
      assert.deepEqual(third.states, ['Hi sent']);
      assert.notEqual(third.conversation.snapshot.conversationId, left);
      assert(!JSON.stringify(server.historyOf(left)).includes('Hi'));
      third.goAway();
    });

  it('reports a message as sent only in the tab that sent it, if another is opened meanwhile', async () => {
    const { opened, open } = gate();
    server.next('send', { thinking: opened });
    first.conversation.send('One');
    await until(() => first.log.length === 3);
    const third = tabs.open(server);
    await third.conversation.open();
    open();
    await until(() => third.log.at(-1) === `assistant: ${answerTo('One')}`);
    await first.settled();
    await until(() => third.events.includes('answer elsewhere'));
    assert(first.events.includes('sent One'));
    assert(!third.events.includes('sent One'), third.events.join());
    third.goAway();
  });

  it('gets a message once if its chat was removed while it opened, and another sends it', async () => {
    first.conversation.draft = 'x';
    const third = tabs.open(server);
    const { opened, open } = gate();
    const before = server.seen('read').length;
    server.next('read', { transit: opened });
    const opening = third.conversation.open();
    third.conversation.send('One');
    await until(() => server.seen('read').length > before);
    third.conversation.disconnect();
    const fourth = tabs.open(server);
    await fourth.conversation.open();
    await fourth.settled();
    open();
    await opening;
    assert.equal(server.seen('send').length, 1);
    third.goAway();
    fourth.goAway();
  });

  it('gets both messages of a chat that was removed and put back while it was closed', async () => {
    first.conversation.disconnect();
    first.conversation.send('One');
    first.conversation.send('Two');
    await until(() => first.states.join() === 'One sent,Two sent');
  });

  it('is deleted in both, and by the service', async () => {
    first.conversation.send('One');
    await first.settled();
    second.conversation.draft = 'T';
    await until(() => first.conversation.draft === 'T');
    first.conversation.forget();
    await until(() => second.conversation.snapshot.messages.length === 0);
    await until(() => server.conversations.length === 0 && tabs.browser.kept.size === 0);
    assert.equal(second.conversation.draft, '');
  });

  it('is deleted by the service if one tab is opening it when `forget()` is called in the other', async () => {
    const { opened, open } = gate();
    server.next('open', { transit: opened });
    first.conversation.startNew();
    await until(() => server.seen('open').length === 2 && second.log.length === 0);
    second.conversation.forget();
    await until(() => first.conversation.snapshot.status === 'idle');
    open();
    await until(() => server.seen('delete').length === 1 && server.conversations.length === 1);
    await until(() => tabs.browser.kept.size === 0);
  });

  it('sends pending messages of a tab from that tab only', async () => {
    server.next('send', { cut: 'unread' });
    first.conversation.send('One');
    await first.settled();
    const third = tabs.open(server);
    await third.conversation.open();
    assert.equal(server.seen('send').length, 0);
    assert.deepEqual(third.states, []);
    assert.deepEqual(tabs.browser.pending, ['One']);
    third.goAway();
  });

  it('sends pending messages of a closed tab from the other, once', async () => {
    server.next('send', { cut: 'unread' });
    first.conversation.send('One');
    await first.settled();
    await until(() => tabs.browser.pending.length === 1);
    tabs.kill(first);
    await until(() => second.states.join() === 'One sent');
    await second.settled();
    assert.equal(server.seen('send').length, 1);
    assert.deepEqual(tabs.browser.pending, []);
  });

  it('sends a message from the other if it fails after its page removed the chat', async () => {
    const { opened, open } = gate();
    server.next('send', { transit: opened, raw: (response) => void response.destroy() });
    first.conversation.send('One');
    await until(() => server.seen('send').length === 1);
    first.conversation.disconnect();
    open();
    await until(() => second.states.join() === 'One sent');
    await second.settled();
    assert.equal(server.seen('send').length, 2);
    assert.deepEqual(tabs.browser.pending, []);
  });
});

describe('updates of conversations in two tabs', () => {
  const streams = (): number => server.seen('other').filter(({ url }) => url.includes('/events')).length;

  let openStreams: ServerResponse[];

  beforeEach(() => {
    openStreams = [];
    for (let n = 0; n < 2; n++)
      server.next('other', {
        raw: (response) => {
          response.writeHead(200, { 'Content-Type': 'text/event-stream' });
          response.write(': open\n\n');
          openStreams.push(response);
        },
      });
  });

  it('share one event stream if both show the same conversation', async () => {
    first.conversation.setVisible(true);
    await until(() => streams() === 1);
    second.conversation.setVisible(true);
    const name = `events:${String(second.conversation.snapshot.conversationId)}`;
    let isWaiting = false;
    await until(
      () => isWaiting,
      () => {
        void navigator.locks.query().then(({ pending = [] }) => {
          isWaiting = pending.some((lock) => lock.name?.endsWith(name));
        });
      },
    );
    assert.equal(streams(), 1);
    first.goAway();
    await until(() => streams() === 2);
  });

  it('report the message of a person in both, and as an answer only in the one with the stream', async () => {
    first.conversation.setVisible(true);
    await until(() => openStreams.length === 1);
    second.conversation.setVisible(true);
    const message = { role: 'assistant', content: 'May I help?' } as const;
    server.write(first.conversation.snapshot.conversationId ?? '', message);
    openStreams[0]?.write(`event: message\nid: 1\ndata: ${JSON.stringify(message)}\n\n`);
    await until(() => second.log.includes('assistant: May I help?'));
    assert.equal(first.events.at(-1), 'answer May I help?');
    assert.equal(second.events.at(-1), 'answer elsewhere');
  });

  it('have an event stream each if each tab has its own conversation', async () => {
    const other = tabs.open(server, new Browser());
    await other.conversation.open();
    first.conversation.setVisible(true);
    other.conversation.setVisible(true);
    await until(() => streams() === 2);
    other.goAway();
  });
});
