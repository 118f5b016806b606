import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ChatServer } from '../../support/servers/chat-server.ts';
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

  it('shows a handoff as soon as the service reports it', async () => {
    offerEvents();
    await openVisibly();
    const history = [{ role: 'assistant', content: 'Hello!' }];
    server.answerNext('read', { status: true, history, ai_enabled: false });
    emit('handoff', { ai_enabled: false });
    await until(() => !visit.conversation.snapshot.aiEnabled);
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
  it('has no event stream', async () => {
    offerEvents();
    await openVisibly();
    visit.conversation.setVisible(false);
    await until(() => streams.length === 0);
  });

  it('counts messages of a person as unread during a handoff', async () => {
    offerEvents();
    await openVisibly();
    visit.conversation.send('One');
    await visit.settled();
    const history = [{ role: 'system', content: 'A person joined.' }];
    server.answerNext('read', { status: true, history, ai_enabled: false });
    emit('handoff', { ai_enabled: false });
    await until(() => !visit.conversation.snapshot.aiEnabled);
    visit.conversation.setVisible(false);
    await until(() => requestsForEvents().length === 2 && streams.length === 1);
    const said = [...history, { role: 'assistant', content: 'May I help?' }];
    server.answerNext('read', { status: true, history: said, ai_enabled: false });
    emit('message', { role: 'assistant', content: 'May I help?' });
    await until(() => visit.conversation.snapshot.unread === 1);
  });

  it('closes the stream of a handoff when nothing has happened for long', async () => {
    offerEvents();
    const browser = new Browser();
    visit = browser.visit(server);
    await openVisibly();
    visit.conversation.send('One');
    await visit.settled();
    const history = [{ role: 'system', content: 'A person joined.' }];
    server.answerNext('read', { status: true, history, ai_enabled: false });
    emit('handoff', { ai_enabled: false });
    await until(() => !visit.conversation.snapshot.aiEnabled);
    visit.conversation.setVisible(false);
    await until(() => requestsForEvents().length === 2 && streams.length === 1);
    browser.now = () => Date.now() + 3_600_000;
    visit.conversation.choose({});
    await until(() => streams.length === 0);
  });
});
