import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readVariables } from '../../../src/widget/panel/inspector/read-variables.ts';
import { answerTo, ChatServer } from '../../support/servers/chat-server.ts';
import { freePort } from '../../support/process/free-port.ts';
import { until } from '../../support/until.ts';
import { Browser, type Visit } from './visit.ts';

let server: ChatServer;
let browser: Browser;
let visit: Visit;

beforeEach(async () => {
  server = await ChatServer.start({ greeting: 'Hello!' });
  browser = new Browser();
  visit = browser.visit(server);
});
afterEach(async () => {
  browser.close();
  await server.stop();
});

const conversationIdOf = (of: Visit): string =>
  of.conversation.snapshot.conversationId ?? assert.fail('not open');

describe('opening', () => {
  it('sends nothing before it is requested', async () => {
    assert.equal(visit.conversation.snapshot.status, 'idle');
    await fetch(server.url);
    assert.equal(server.requests.length, 1);
  });

  it('is not requested by the event online, unless an attempt has failed', async () => {
    visit.conversation.online();
    await fetch(server.url);
    assert.equal(server.requests.length, 1);
    server.answerNext('open', {}, 503);
    await visit.conversation.open();
    assert.equal(visit.conversation.snapshot.status, 'failed');
    visit.conversation.online();
    await until(() => visit.conversation.snapshot.status === 'ready');
  });

  it('requests the assistant and shows its greeting', async () => {
    const visit = browser.visit(server, { request: { type: 'test', variables: { name: 'Zoë' } } });
    const opening = visit.conversation.open();
    assert.equal(visit.conversation.snapshot.status, 'opening');
    await opening;
    const body = {
      assistant_id: 'b7f0a2d4-6c1e-4a52-9f3b-2f6f8e0c1d11',
      type: 'test',
      variables: { name: 'Zoë' },
    };
    assert.deepEqual(server.seen('open')[0]?.body, body);
    assert.deepEqual(visit.log, ['assistant: Hello!']);
    assert.equal(visit.conversation.snapshot.status, 'ready');
    assert.deepEqual(visit.events, ['opened']);
    assert.ok(Object.isFrozen(visit.conversation.snapshot));
  });

  it('happens once, even if it is requested several times', async () => {
    await Promise.all([visit.conversation.open(), visit.conversation.open()]);
    await visit.conversation.open();
    assert.deepEqual(server.requests.length, 1);
    assert.deepEqual(visit.events, ['opened']);
  });

  it('measures its duration by the given clock', async () => {
    let now = 1000;
    browser.now = () => now;
    server.next('open', {
      raw: (response) => {
        now += 250;
        response.end('{"status": true, "conversation_id": "c"}');
      },
    });
    await visit.conversation.open();
    assert.equal(visit.conversation.snapshot.openedIn, 250);
    assert.deepEqual(visit.log, []);
  });

  it('without an assistant, with a malformed ID, or without a service, fails without a request', async () => {
    for (const setupProblem of [
      'assistant-id-missing',
      'assistant-id-malformed',
      'base-url-missing',
    ] as const) {
      const lost = browser.visit(server, { request: { assistantId: 'x', setupProblem } });
      await lost.conversation.open();
      assert.equal(lost.conversation.snapshot.status, 'failed');
      assert.deepEqual(lost.events, [`problem ${setupProblem}`]);
    }
    assert.equal(server.requests.length, 0);
  });

  for (const [body, status, code] of [
    [{ status: false, error: 'Assistant not found' }, 404, 'assistant-not-found'],
    [{ status: false, error: 'Insufficient balance. Please top up.' }, 400, 'insufficient-balance'],
    ['<h1>It works!</h1>', 200, 'bad-response'],
  ] as const) {
    it(`that is refused with ${code} reports it, keeps the messages, and can be retried`, async () => {
      server.answerNext('open', body, status);
      visit.conversation.draft = 'Dear';
      visit.conversation.send('One');
      await visit.settled();
      const { status: now, problem } = visit.conversation.snapshot;
      assert.deepEqual([now, problem?.code], ['failed', code]);
      if (typeof body !== 'string') assert.equal(problem?.message, body.error);
      assert.deepEqual(visit.states, ['One queued']);
      assert.deepEqual(browser.pending, ['One']);
      visit.conversation.retry();
      await visit.settled();
      assert.deepEqual(visit.log, ['assistant: Hello!', 'user: One', `assistant: ${answerTo('One')}`]);
      assert.equal(visit.conversation.draft, 'Dear');
    });
  }

  it('while offline reports it, and continues when the browser is online', async () => {
    const port = await freePort();
    const offline = browser.visit({ url: `http://127.0.0.1:${port}` });
    browser.isOnline = false;
    await offline.conversation.open();
    assert.deepEqual(offline.events, ['problem offline']);
    offline.goAway();

    browser.isOnline = true;
    server.next('open', { cut: 'unread' });
    await visit.conversation.open();
    assert.deepEqual(visit.events, ['problem network']);
    visit.conversation.retry();
    await visit.settled();
    assert.deepEqual(visit.log, ['assistant: Hello!']);
  });

  it('is repeated with the same key when its answer was lost, and with a new one for a new conversation', async () => {
    server.next('open', { cut: 'unanswered' });
    await visit.conversation.open();
    await visit.conversation.open();
    visit.conversation.leave();
    await visit.conversation.open();
    const [first, second, third] = server.seen('open').map(({ headers }) => headers['idempotency-key']);
    assert.equal(first, second);
    assert.ok(third !== undefined && third !== second);
  });

  it('is repeated with the same key by the next page, and with a new one for another request', async () => {
    server.next('open', { cut: 'unanswered' });
    server.next('open', { cut: 'unanswered' });
    await visit.conversation.open();
    visit.goAway();
    await browser.visit(server).conversation.open();
    await browser.visit(server, { request: { variables: { name: 'Zoë' } } }).conversation.open();
    await browser.visit(server).conversation.open();
    const [first, second, third, fourth] = server
      .seen('open')
      .map(({ headers }) => headers['idempotency-key']);
    assert.equal(first, second);
    assert.ok(third !== undefined && third !== second);
    // It was opened, so nothing is repeated.
    assert.equal(fourth, undefined);
  });
});

describe('coming back', () => {
  it('resumes the conversation with its history, and opens no other', async () => {
    visit.conversation.send('One');
    await visit.settled();
    visit.goAway();
    const again = browser.visit(server);
    await again.conversation.open();
    assert.deepEqual(again.events, ['resumed']);
    assert.deepEqual(again.log, ['assistant: Hello!', 'user: One', `assistant: ${answerTo('One')}`]);
    assert.equal(again.conversation.snapshot.conversationId, server.conversations[0]);
    assert.equal(server.seen('open').length, 1);
  });

  it('shows messages that were added meanwhile', async () => {
    await visit.conversation.open();
    server.write(conversationIdOf(visit), { role: 'system', content: 'Nora took over' });
    server.write(conversationIdOf(visit), { role: 'assistant', content: 'Nora here' });
    const again = browser.visit(server);
    await again.conversation.open();
    assert.deepEqual(again.log, ['assistant: Hello!', 'system: Nora took over', 'assistant: Nora here']);
  });

  it('restores the draft and the unsent messages in order, before any request', async () => {
    server.next('open', { cut: 'unread' });
    visit.conversation.draft = 'And fin';
    for (const text of ['One', 'Two', 'Three']) visit.conversation.send(text);
    await visit.settled();
    visit.goAway();
    const again = browser.visit(server);
    assert.equal(again.conversation.draft, 'And fin');
    assert.deepEqual(again.states, ['One queued', 'Two queued', 'Three queued']);
    assert.equal(server.requests.length, 0);
    await again.conversation.open();
    const stored = server.historyOf(conversationIdOf(again)).map(({ content }) => content);
    assert.deepEqual(stored, [
      'Hello!',
      ...['One', 'Two', 'Three'].flatMap((text) => [text, answerTo(text)]),
    ]);
    assert.deepEqual(browser.pending, []);
  });

  it('to a deleted conversation reports it, and keeps the unsent messages for a new one', async () => {
    visit.conversation.send('One');
    await visit.settled();
    const old = conversationIdOf(visit);
    server.delete(old);
    visit.goAway();

    const again = browser.visit(server);
    again.conversation.send('Two');
    await again.settled();
    const { status, problem } = again.conversation.snapshot;
    assert.deepEqual(
      [status, problem?.code, problem?.message],
      ['failed', 'conversation-not-found', 'Conversation not found'],
    );
    again.conversation.draft = 'Three';
    again.conversation.startNew();
    await again.settled();
    assert.deepEqual(again.log, ['assistant: Hello!', 'user: Two', `assistant: ${answerTo('Two')}`]);
    assert.notEqual(again.conversation.snapshot.conversationId, old);
    assert.equal(again.conversation.draft, 'Three');
  });

  it('to a deleted conversation without a visitor’s message opens a new one', async () => {
    await visit.conversation.open();
    const old = conversationIdOf(visit);
    server.delete(old);
    visit.goAway();
    const again = browser.visit(server);
    again.conversation.send('One');
    await again.settled();
    assert.deepEqual(again.log, ['assistant: Hello!', 'user: One', `assistant: ${answerTo('One')}`]);
    assert.notEqual(conversationIdOf(again), old);
  });

  it('to one that is deleted while it is open keeps the message for a new one, exactly once', async () => {
    await visit.conversation.open();
    server.delete(conversationIdOf(visit));
    visit.conversation.send('One');
    visit.conversation.send('Two');
    await visit.settled();
    assert.deepEqual(visit.events, ['opened', 'problem conversation-not-found']);
    assert.equal(visit.conversation.snapshot.status, 'failed');
    visit.conversation.startNew();
    await visit.settled();
    const stored = server.historyOf(conversationIdOf(visit)).map(({ content }) => content);
    assert.deepEqual(stored, ['Hello!', 'One', answerTo('One'), 'Two', answerTo('Two')]);
    assert.deepEqual(visit.states, ['One sent', 'Two sent']);
  });

  it('has the variables of the conversation if the service returns them', async () => {
    await visit.conversation.open();
    assert.equal(visit.conversation.snapshot.variables, undefined);
    server.answerNext('read', { status: true, history: [], variables: { city: 'Bern' } });
    await readVariables(visit.conversation.session);
    assert.equal(visit.conversation.snapshot.variables?.['city'], 'Bern');
    assert.deepEqual(visit.log, ['assistant: Hello!']);
  });

  it('ignores variables that come after the conversation was left', async () => {
    await visit.conversation.open();
    server.next('read', {
      raw: (response) => {
        visit.conversation.leave();
        response.end('{"status": true, "variables": {"city": "Bern"}}');
      },
    });
    await readVariables(visit.conversation.session);
    await readVariables(visit.conversation.session);
    assert.equal(visit.conversation.snapshot.variables, undefined);
    await until(() => server.active === 0);
  });
});
