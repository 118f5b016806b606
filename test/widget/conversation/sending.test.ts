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
  server = await ChatServer.start({ streams: true });
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
const settled = (of = visit): Promise<void> =>
  of.settled(() => {
    mock.timers.tick(50);
  });
const stored = (): string[] => server.historyOf(uuid).map(({ content }) => content);
const sent = (): unknown[] => server.seen('send').map(({ body }) => (body as { message: string }).message);

describe('sending', () => {
  it('shows the message at once, and the answer as it grows', async () => {
    const { opened, open } = gate();
    server.next('send', { thinking: opened });
    visit.conversation.send('One');
    assert.deepEqual(visit.states, ['One sending']);
    assert.equal(visit.conversation.snapshot.status, 'replying');
    await until(() => visit.log.length === 2);
    assert.deepEqual(visit.log, ['user: One', 'assistant: You ']);
    assert.deepEqual(visit.states, ['One sent']);
    assert.equal(visit.conversation.snapshot.messages[1]?.status, 'streaming');
    const [{ key } = { key: '' }] = visit.conversation.snapshot.messages;
    open();
    await settled();
    const message = visit.conversation.snapshot.messages.at(0);
    const reply = visit.conversation.snapshot.messages.at(-1);
    assert.equal(message?.key, key);
    assert.deepEqual([reply?.status, reply?.text], ['done', answerTo('One')]);
    assert.deepEqual(visit.events, ['opened', 'sent One', `answer ${answerTo('One')}`]);
  });

  it('queues messages while a reply streams, and sends them afterwards, in order', async () => {
    const { opened, open } = gate();
    server.next('send', { thinking: opened });
    visit.conversation.send('One');
    await until(() => visit.log.length === 2);
    visit.conversation.send('Two');
    visit.conversation.send('Three');
    assert.deepEqual(visit.states, ['One sent', 'Two queued', 'Three queued']);
    assert.deepEqual(sent(), ['One']);
    open();
    await settled();
    assert.deepEqual(
      stored(),
      ['One', 'Two', 'Three'].flatMap((text) => [text, answerTo(text)]),
    );
    assert.deepEqual(
      visit.log,
      server.historyOf(uuid).map(({ role, content }) => `${role}: ${content}`),
    );
    assert.equal(server.seen('read').length, 0);
  });

  it('uses another key for each message', async () => {
    visit.conversation.send('One');
    visit.conversation.send('One');
    await settled();
    const keys = server.seen('send').map(({ headers }) => headers['idempotency-key']);
    assert.equal(new Set(keys).size, 2);
    assert.ok(keys.every((key) => /^[0-9a-f]{32}$/.test(String(key))));
  });

  it('measures the first chunk and the whole answer by the given clock', async () => {
    let now = 0;
    browser.now = () => now;
    const { opened, open } = gate();
    server.next('send', { thinking: opened });
    server.next('send', {});
    visit.conversation.send('One');
    now = 100;
    await until(() => visit.log.length === 2);
    now = 900;
    open();
    await settled();
    assert.deepEqual(visit.conversation.snapshot.messages[1]?.timing, { first: 100, total: 900 });
  });

  it('shows tool calls while they run and when they are done', async () => {
    const { opened, open } = gate();
    const call = { name: 'find_order', arguments: { id: 7 } };
    const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    server.next('send', {
      raw: async (response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write(event('function_call', call) + event('function_call', call));
        await opened;
        response.write(event('function_call', { ...call, result: 'a' }));
        const calls = [
          { ...call, result: 'a' },
          { ...call, result: 'b' },
        ];
        response.end(event('done', { status: true, message: 'Found', function_calls: calls }));
      },
    });
    visit.conversation.send('Where?');
    await until(() => visit.conversation.snapshot.messages[1]?.functionCalls.length === 2);
    open();
    await settled();
    const results = visit.conversation.snapshot.messages[1]?.functionCalls.map(({ result }) => result);
    assert.deepEqual(results, ['a', 'b']);
  });

  it('shows no reply if there is none, as during a handoff', async () => {
    server.answerNext('send', { status: true, message: '', function_calls: [], ai_enabled: false });
    visit.conversation.send('One');
    await settled();
    // It stays so afterwards.
    server.answerNext('send', { status: true, message: '', function_calls: [] });
    visit.conversation.send('Two');
    await settled();
    assert.deepEqual(visit.log, ['user: One', 'user: Two']);
    assert.deepEqual(visit.states, ['One sent', 'Two sent']);
    assert.deepEqual(visit.events, ['opened', 'sent One', 'sent Two']);
  });

  it('shows no reply if the assistant ends the conversation without one', async () => {
    server.answerNext('send', { status: true, message: '', function_calls: [], ended: true });
    visit.conversation.send('One');
    await settled();
    assert.deepEqual(visit.states, ['One sent']);
    assert.equal(visit.conversation.snapshot.status, 'ended');
  });

  for (const message of ['', ' \n'])
    it(`reports the answer ${JSON.stringify(message)} of an active assistant, and sends nothing twice`, async () => {
      const uuid = visit.conversation.snapshot.conversationId ?? '';
      server.answerNext('send', { status: true, message, function_calls: [] });
      visit.conversation.send('One');
      await settled();
      assert.deepEqual(visit.states, ['One failed']);
      assert.equal(visit.conversation.snapshot.messages[0]?.problem?.code, 'bad-response');
      assert.deepEqual(visit.events, ['opened', 'problem bad-response']);
      server.write(uuid, { role: 'user', content: 'One' }, { role: 'assistant', content: 'Late' });
      visit.conversation.retry();
      await settled();
      assert.deepEqual(visit.log, ['user: One', 'assistant: Late']);
      // If it had been sent again, it would be stored twice.
      assert.equal(server.historyOf(uuid).filter(({ role }) => role === 'user').length, 1);
    });

  it('opens the conversation first if it is not open', async () => {
    const other = new Browser().visit(server);
    other.conversation.send('One');
    await settled(other);
    assert.deepEqual(other.events, ['opened', 'sent One', `answer ${answerTo('One')}`]);
  });
});

describe('a message that fails', () => {
  it('for lack of a connection is kept, and is sent first when the browser is online', async () => {
    browser.isOnline = false;
    visit.conversation.send('One');
    visit.conversation.send('Two');
    await settled();
    assert.deepEqual(visit.states, ['One failed', 'Two queued']);
    assert.deepEqual(visit.events, ['opened', 'problem offline']);
    assert.deepEqual(browser.pending, ['One', 'Two']);
    assert.equal(server.seen('send').length, 0);
    browser.isOnline = true;
    visit.conversation.retry();
    await settled();
    assert.deepEqual(stored(), ['One', answerTo('One'), 'Two', answerTo('Two')]);
    assert.deepEqual(browser.pending, []);
  });

  it('is sent before the visitor’s next one', async () => {
    server.next('send', { cut: 'unread' });
    visit.conversation.send('One');
    await settled();
    visit.conversation.send('Two');
    await settled();
    assert.deepEqual(stored(), ['One', answerTo('One'), 'Two', answerTo('Two')]);
  });

  it('is retried even if the page retries in the error event', async () => {
    server.next('send', { cut: 'unread' });
    const { problems } = visit;
    visit.onChange = () => {
      if (visit.states[0] === 'One failed') visit.conversation.send('Two');
    };
    visit.conversation.send('One');
    await until(
      () => visit.states.join() === 'One sent,Two sent',
      () => {
        mock.timers.tick(50);
      },
    );
    assert.equal(problems.length, 1);
  });

  it('because it is refused does not block its correction', async () => {
    server.answerNext('send', { status: false, error: 'message must not shout' }, 422);
    visit.conversation.send('ONE');
    visit.conversation.send('One');
    await settled();
    assert.deepEqual(visit.states, ['ONE failed', 'One sent']);
    assert.equal(visit.problems[0]?.code, 'invalid-request');
    assert.equal(visit.conversation.snapshot.messages[0]?.problem?.message, 'message must not shout');
    assert.deepEqual(stored(), ['One', answerTo('One')]);
  });

  it('because the engine failed is retried only by the visitor', async () => {
    server.next('send', { loses: true });
    visit.conversation.send('One');
    await settled();
    assert.deepEqual(visit.log, ['user: One']);
    assert.equal(visit.conversation.snapshot.messages[0]?.problem?.code, 'engine-failed');
    visit.conversation.retry();
    visit.conversation.send('Two');
    await settled();
    assert.deepEqual(visit.states, ['One failed', 'Two sent']);
    visit.conversation.retry(visit.conversation.snapshot.messages[0].key);
    await settled();
    assert.deepEqual(visit.states, ['One sent', 'Two sent']);
    assert.deepEqual(stored(), ['Two', answerTo('Two'), 'One', answerTo('One')]);
  });

  it('for lack of balance is kept with the next ones until the owner has topped up', async () => {
    const error = 'Insufficient balance. Please top up your account.';
    server.answerNext('send', { status: false, error }, 400);
    visit.conversation.send('One');
    visit.conversation.send('Two');
    await settled();
    assert.deepEqual(visit.states, ['One failed', 'Two queued']);
    assert.equal(visit.conversation.snapshot.messages[0]?.problem?.message, error);
    visit.conversation.retry();
    await settled();
    assert.deepEqual(stored(), ['One', answerTo('One'), 'Two', answerTo('Two')]);
  });
});
