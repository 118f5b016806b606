import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { answerTo, ChatServer, gate } from '../../support/servers/chat-server.ts';
import { until } from '../../support/until.ts';
import { Browser, type Visit } from './visit.ts';

let server: ChatServer;
let visit: Visit;
/** Event streams that are open. */
let streams: ServerResponse[];

beforeEach(async () => {
  server = await ChatServer.start({ streams: true, greeting: 'Hello!' });
  streams = [];
  visit = new Browser().visit(server);
});
afterEach(async () => {
  visit.goAway();
  await server.stop();
});

/** Answers the next requests for events with a stream. */
function offerEvents(count = 3): void {
  for (let n = 0; n < count; n++)
    server.next('other', {
      raw: (response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write(': open\n\n');
        streams.push(response);
        response.on('close', () => streams.splice(streams.indexOf(response), 1));
      },
    });
}

function emit(event: string, data: object, id = 1): void {
  for (const stream of streams) stream.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
}

function personWrites(content: string): void {
  server.write(visit.conversation.snapshot.conversationId ?? '', { role: 'assistant', content });
  emit('message', { role: 'assistant', content }, server.requests.length);
}

async function openVisibly(): Promise<void> {
  visit.conversation.setVisible(true);
  await visit.conversation.open();
  await until(() => streams.length === 1);
}

const requestsForEvents = (): string[] =>
  server.seen('other').flatMap(({ url }) => (url.includes('/events') ? [url] : []));

describe('a visible conversation', () => {
  it('shows the message of a person as soon as the service reports it', async () => {
    offerEvents();
    await openVisibly();
    personWrites('May I help?');
    await until(() => visit.log.includes('assistant: May I help?'));
    assert.deepEqual(visit.events, ['opened', 'answer May I help?']);
  });

  it('misses no message that was written before the stream opened', async () => {
    offerEvents();
    server.answerNext('open', {
      status: true,
      conversation_id: 'c1',
      history: [{ role: 'assistant', content: 'Hello!' }],
      events_cursor: '41',
    });
    await openVisibly();
    assert.match(requestsForEvents()[0] ?? '', /\/events\?after=41$/);
  });

  it('shows the message of a person that arrives while it reads that one has taken over', async () => {
    offerEvents();
    await openVisibly();
    const history = [
      { role: 'assistant', content: 'Hello!' },
      { role: 'system', content: 'A person joined.' },
    ];
    const reading = gate();
    server.next('read', {
      transit: reading.opened,
      raw: (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ status: true, history, ai_enabled: false }));
      },
    });
    emit('handoff', { ai_enabled: false });
    await until(() => server.seen('read').length === 1);
    emit('message', { role: 'assistant', content: 'May I help?' }, 8);
    // The event arrives before the answer to the reading.
    await fetch(server.url);
    const said = [...history, { role: 'assistant', content: 'May I help?' }];
    server.answerNext('read', { status: true, history: said, ai_enabled: false });
    reading.open();
    await until(() => visit.log.includes('assistant: May I help?'));
  });

  it('shows a handoff as soon as the service reports it', async () => {
    offerEvents();
    await openVisibly();
    const history = [{ role: 'assistant', content: 'Hello!' }];
    server.answerNext('read', { status: true, history, ai_enabled: false });
    emit('handoff', { ai_enabled: false });
    await until(() => !visit.conversation.snapshot.aiEnabled);
  });

  it('shows a message whose answer was lost once, as sent, and sends the next one', async () => {
    offerEvents();
    await openVisibly();
    const uuid = visit.conversation.snapshot.conversationId ?? '';
    const read = (): void => {
      server.answerNext('read', { status: true, history: [...server.historyOf(uuid)], ai_enabled: false });
    };
    read();
    emit('handoff', { ai_enabled: false });
    await until(() => requestsForEvents().length === 2 && streams.length === 1);
    server.next('send', {
      raw: (response) => {
        // Services may trim the texts that they store.
        server.write(uuid, { role: 'user', content: 'One' });
        response.destroy();
      },
    });
    visit.conversation.send(' One');
    await visit.settled();
    server.answerNext('read', {}, 500);
    visit.conversation.send('Two');
    await visit.settled();
    assert.deepEqual(visit.states, [' One failed', 'Two queued']);
    server.write(uuid, { role: 'assistant', content: 'May I help?' });
    read();
    server.answerNext('send', { status: true, message: '', function_calls: [], ai_enabled: false });
    emit('message', { role: 'assistant', content: 'May I help?' }, 9);
    await until(() => visit.states.at(-1) === 'Two sent');
    assert.deepEqual(visit.log, ['assistant: Hello!', 'user:  One', 'assistant: May I help?', 'user: Two']);
    assert.deepEqual(visit.states, [' One sent', 'Two sent']);
    assert.deepEqual(
      visit.events.filter((event) => event.startsWith('sent')),
      ['sent  One', 'sent Two'],
    );
    assert.equal(server.seen('send').length, 2);
  });

  it('shows a message whose answer was lost as sent while the assistant writes it', async () => {
    offerEvents();
    await openVisibly();
    const uuid = visit.conversation.snapshot.conversationId ?? '';
    const { opened, open } = gate();
    server.next('send', { cut: 'unanswered', thinking: opened });
    visit.conversation.send('One');
    await visit.settled();
    emit('handoff', { ai_enabled: false });
    await until(() => visit.states[0] === 'One sent');
    assert.deepEqual(visit.log, ['assistant: Hello!', 'user: One']);
    open();
    await until(() => server.historyOf(uuid).length === 3);
    await until(() => requestsForEvents().length === 2 && streams.length === 1);
    emit('message', { role: 'assistant', content: answerTo('One'), in_reply_to: '1' }, 2);
    await until(() => visit.log.length === 3);
    assert.deepEqual(visit.events.slice(1), ['problem network', 'sent One', `answer ${answerTo('One')}`]);
    assert.equal(server.seen('send').length, 1);
  });

  it('shows the answer that was in progress when the visitor returned to it', async () => {
    offerEvents();
    await openVisibly();
    const { bookmark } = visit.conversation;
    assert.ok(bookmark);
    const { conversationId } = bookmark;
    server.write(conversationId, { role: 'user', content: 'One' });
    visit.conversation.returnTo(bookmark);
    await until(() => visit.log.at(-1) === 'user: One' && requestsForEvents().length === 2);
    await until(() => streams.length > 0);
    const answer = { role: 'assistant', content: 'Yes.' } as const;
    server.write(conversationId, answer);
    emit('message', { ...answer, in_reply_to: 'm1' });
    await until(() => visit.log.at(-1) === 'assistant: Yes.');
  });

  it('does not read the conversation for its own exchanges', async () => {
    offerEvents();
    await openVisibly();
    visit.conversation.send('One');
    await visit.settled();
    emit('message', { role: 'user', content: 'One' });
    emit('message', { role: 'assistant', content: 'You said: One.', in_reply_to: '1' });
    emit('handoff', { ai_enabled: true });
    personWrites('Hi');
    await until(() => visit.log.includes('assistant: Hi'));
    assert.equal(server.seen('read').length, 1);
    assert.equal(requestsForEvents().length, 1);
  });

  it('reads a message of a person again if that failed once', async () => {
    offerEvents();
    await openVisibly();
    server.answerNext('read', {}, 503);
    personWrites('May I help?');
    await until(() => visit.log.includes('assistant: May I help?'));
    assert.equal(server.seen('read').length, 2);
    assert.equal(requestsForEvents().length, 1);
  });

  it('reads a message of a person when it is shown again, if that failed before it was hidden', async () => {
    offerEvents();
    const browser = new Browser();
    visit = browser.visit(server);
    await openVisibly();
    server.answerNext('read', {}, 503);
    personWrites('May I help?');
    await until(() => server.seen('read').length === 1);
    visit.conversation.setVisible(false);
    browser.now = () => Date.now() + 600_000;
    visit.conversation.choose({});
    await until(() => streams.length === 0);
    visit.conversation.setVisible(true);
    await until(() => visit.log.includes('assistant: May I help?'));
  });

  it('shows what its user writes on another device, and the answer', async () => {
    offerEvents();
    await openVisibly();
    visit.conversation.send('One');
    await visit.settled();
    const uuid = visit.conversation.snapshot.conversationId ?? '';
    const question = { role: 'user', content: 'Two' } as const;
    server.write(uuid, question);
    emit('message', question, 8);
    await until(() => visit.log.at(-1) === 'user: Two');
    const answer = { role: 'assistant', content: 'Yes.' } as const;
    server.write(uuid, answer);
    await until(() => requestsForEvents().length === 2 && streams.length === 1);
    emit('message', { ...answer, in_reply_to: 'm2' }, 9);
    await until(() => visit.log.at(-1) === 'assistant: Yes.');
  });

  it('shows the question and the answer of another device if only the answer is reported', async () => {
    offerEvents();
    await openVisibly();
    const uuid = visit.conversation.snapshot.conversationId ?? '';
    server.write(uuid, { role: 'user', content: 'Two' });
    server.write(uuid, { role: 'assistant', content: 'Yes.' });
    emit('message', { role: 'assistant', content: 'Yes.', in_reply_to: 'm2' }, 9);
    await until(() => visit.log.at(-1) === 'assistant: Yes.');
    assert.deepEqual(visit.log, ['assistant: Hello!', 'user: Two', 'assistant: Yes.']);
  });

  it('resumes a stream that breaks after the latest event', async () => {
    offerEvents();
    await openVisibly();
    emit('handoff', { ai_enabled: true }, 7);
    await until(() => requestsForEvents().length === 1);
    streams[0]?.end();
    await until(() => requestsForEvents().length === 2);
    assert.match(requestsForEvents()[1] ?? '', /\/events\?after=7$/);
    await until(() => streams.length === 1);
    personWrites('Hi');
    await until(() => visit.log.includes('assistant: Hi'));
  });

  it('has a stream again if a proxy has answered while the service was restarted', async () => {
    offerEvents(1);
    await openVisibly();
    server.answerNext('other', 'Not found', 404);
    offerEvents(1);
    streams[0]?.end();
    await until(() => requestsForEvents().length === 3 && streams.length === 1);
    personWrites('Hi');
    await until(() => visit.log.includes('assistant: Hi'));
  });

  it('asks a service without event streams again after ten minutes', async () => {
    const browser = new Browser();
    visit = browser.visit(server);
    visit.conversation.setVisible(true);
    await visit.conversation.open();
    await until(() => requestsForEvents().length === 1);
    visit.conversation.setVisible(false);
    browser.now = () => Date.now() + 600_000;
    visit.conversation.choose({});
    offerEvents();
    visit.conversation.setVisible(true);
    await until(() => streams.length === 1);
  });

  it('does not read the conversation again if a service without event streams answers with JSON', async () => {
    server.answerNext('other', { status: true });
    visit.conversation.setVisible(true);
    await visit.conversation.open();
    await until(() => requestsForEvents().length === 1);
    visit.conversation.send('One');
    await visit.settled();
    assert.equal(server.seen('read').length, 0);
  });

  it('asks a service without event streams once', async () => {
    visit.conversation.setVisible(true);
    await visit.conversation.open();
    visit.conversation.send('One');
    await visit.settled();
    visit.conversation.setVisible(false);
    visit.conversation.setVisible(true);
    visit.conversation.send('Two');
    await visit.settled();
    assert.equal(requestsForEvents().length, 1);
  });
});

describe('a hidden conversation', () => {
  it('counts the first message of a person as unread, over the stream that it had while visible', async () => {
    offerEvents();
    await openVisibly();
    visit.conversation.setVisible(false);
    personWrites('May I help?');
    await until(() => visit.conversation.snapshot.unread === 1);
    assert.equal(requestsForEvents().length, 1);
    assert.deepEqual(server.seen('send'), []);
  });

  it('has an event stream on the next page', async () => {
    offerEvents();
    const browser = new Browser();
    visit = browser.visit(server);
    await openVisibly();
    visit.conversation.setVisible(false);
    visit.conversation.setOpen(false);
    visit.goAway();
    await until(() => streams.length === 0);
    assert.ok(browser.kept.get('voice-assistant-chat:wake'));
    visit = browser.visit(server);
    assert.ok(visit.conversation.opensInBackground);
    await visit.conversation.open();
    await until(() => streams.length === 1);
    personWrites('May I help?');
    await until(() => visit.conversation.snapshot.unread === 1);
  });

  it('has no event stream when nothing has happened for ten minutes, on this page and the next', async () => {
    offerEvents();
    const browser = new Browser();
    visit = browser.visit(server);
    await openVisibly();
    visit.conversation.setVisible(false);
    visit.conversation.setOpen(false);
    browser.now = () => Date.now() + 600_000;
    visit.conversation.choose({});
    await until(() => streams.length === 0);
    visit.goAway();
    visit = browser.visit(server);
    assert.equal(visit.conversation.opensInBackground, false);
    assert.equal(browser.kept.get('voice-assistant-chat:wake'), undefined);
  });

  it('does not wait for updates for weeks if the clock was ahead, on this page and the next', async (t) => {
    const { setTimeout: original } = globalThis;
    const delays: number[] = [];
    globalThis.setTimeout = ((act: () => void, delay: number) => {
      delays.push(delay);
      return original(act, delay);
    }) as typeof setTimeout;
    t.after(() => {
      globalThis.setTimeout = original;
    });
    offerEvents();
    const browser = new Browser();
    browser.now = () => Date.now() + 30 * 24 * 3_600_000;
    visit = browser.visit(server);
    await openVisibly();
    visit.conversation.setVisible(false);
    browser.now = () => Date.now();
    visit.conversation.choose({});
    await until(() => streams.length === 0);
    visit.goAway();
    visit = browser.visit(server);
    assert.equal(visit.conversation.opensInBackground, false);
    // Browsers treat a longer delay as none.
    assert.ok(Math.max(...delays) < 2 ** 31, `${Math.max(...delays)}`);
  });

  it('was open on the page before only if the visitor left that within ten minutes', () => {
    const browser = new Browser();
    const leaveOpen = (): void => {
      visit.conversation.setVisible(true);
      visit.conversation.setOpen(true);
      visit.conversation.setVisible(false);
      visit.goAway();
    };
    visit = browser.visit(server);
    assert.equal(visit.conversation.wasOpen, false);
    leaveOpen();
    const leftAt = Date.now();
    visit = browser.visit(server);
    assert.equal(visit.conversation.wasOpen, true);
    leaveOpen();
    browser.now = () => leftAt + 660_000;
    visit = browser.visit(server);
    assert.equal(visit.conversation.wasOpen, false);
    assert.equal(browser.kept.get('voice-assistant-chat:wake'), undefined);
  });

  const joined = { role: 'system', content: 'A person joined.' };

  /** A person takes over, then the visitor hides the chat. */
  async function hideDuringHandoff(): Promise<void> {
    visit.conversation.send('One');
    await visit.settled();
    server.answerNext('read', { status: true, history: [joined], ai_enabled: false });
    emit('handoff', { ai_enabled: false });
    await until(() => !visit.conversation.snapshot.aiEnabled);
    visit.conversation.setVisible(false);
    await until(() => requestsForEvents().length === 2 && streams.length === 1);
  }

  it('counts messages of a person as unread during a handoff', async () => {
    offerEvents();
    await openVisibly();
    await hideDuringHandoff();
    const said = [joined, { role: 'assistant', content: 'May I help?' }];
    server.answerNext('read', { status: true, history: said, ai_enabled: false });
    emit('message', { role: 'assistant', content: 'May I help?' });
    await until(() => visit.conversation.snapshot.unread === 1);
  });

  it('closes the stream of a handoff when nothing has happened for long', async () => {
    offerEvents();
    const browser = new Browser();
    visit = browser.visit(server);
    await openVisibly();
    await hideDuringHandoff();
    browser.now = () => Date.now() + 3_600_000;
    visit.conversation.choose({});
    await until(() => streams.length === 0);
  });
});
