import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, afterEach, before, beforeEach, describe, it, mock } from 'node:test';
import { answerTo, ChatServer } from '../../support/servers/chat-server.ts';
import { until } from '../../support/until.ts';
import { Browser, type Visit } from './visit.ts';

const tooMany = { message: 'Too Many Attempts.' };
let server: ChatServer;
let browser: Browser;
let visit: Visit;

// Mocked for the whole file: clearing a mocked timer of an earlier test would clear another one.
before(() => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2026-01-31T09:30:00Z') });
});
after(() => {
  mock.timers.reset();
});
beforeEach(async () => {
  server = await ChatServer.start();
  browser = new Browser();
  visit = browser.visit(server);
});
afterEach(async () => {
  visit.goAway();
  await server.stop();
});

/** Sends a message that is refused with 429. */
async function refuse(headers: Record<string, string>): Promise<void> {
  await visit.conversation.open();
  server.answerNext('send', tooMany, 429, headers);
  visit.conversation.send('One');
  await visit.settled();
  assert.deepEqual(visit.states, ['One failed']);
}

const sends = (): number => server.seen('send').length;

describe('a service that answers with Retry-After', () => {
  it('is retried then, and not before', async () => {
    await refuse({ 'Retry-After': '5' });
    assert.equal(visit.problems[0]?.retryAt, Date.now() + 5000);
    mock.timers.tick(4999);
    assert.deepEqual(visit.states, ['One failed']);
    mock.timers.tick(1);
    await until(() => sends() === 2);
    await visit.settled();
    assert.deepEqual(visit.states, ['One sent']);
    assert.deepEqual(visit.events, [
      'opened',
      'problem too-many-requests',
      'sent One',
      `answer ${answerTo('One')}`,
    ]);
  });

  it('is not retried before that if the page removes the chat and inserts it again', async () => {
    await refuse({ 'Retry-After': '5' });
    visit.conversation.disconnect();
    await visit.conversation.open();
    mock.timers.tick(4999);
    assert.deepEqual(visit.states, ['One failed']);
    mock.timers.tick(1);
    await until(() => sends() === 2);
  });

  it('is retried after half a minute if it gives no time', async () => {
    await refuse({});
    assert.equal(visit.problems[0]?.retryAt, Date.now() + 30_000);
    mock.timers.tick(30_000);
    await until(() => sends() === 2);
  });

  it('is retried after a second if it gives no delay', async () => {
    await refuse({ 'Retry-After': '0' });
    mock.timers.tick(999);
    assert.deepEqual(visit.states, ['One failed']);
    mock.timers.tick(1);
    await until(() => sends() === 2);
  });

  it('is not retried at once if the time exceeds a timer’s range', async (test) => {
    await refuse({ 'Retry-After': String(30 * 24 * 3600) });
    // A delay beyond 2^31 milliseconds makes timers fire at once.
    const delays = timerDelays(test);
    visit.conversation.pause();
    void visit.conversation.open();
    assert.ok(delays.length > 0 && Math.max(...delays) < 2 ** 31, String(delays));
  });

  it('is retried then for an opening, too', async () => {
    server.answerNext('open', tooMany, 429, { 'Retry-After': '7' });
    visit.conversation.send('One');
    await visit.settled();
    assert.equal(visit.conversation.snapshot.status, 'failed');
    assert.deepEqual(visit.states, ['One queued']);
    mock.timers.tick(7000);
    await until(() => server.seen('open').length === 2);
    await visit.settled();
    assert.deepEqual(visit.states, ['One sent']);
  });

  it('gets the messages in the order in which they were written', async () => {
    await visit.conversation.open();
    server.answerNext('send', tooMany, 429);
    visit.conversation.send('One');
    visit.conversation.send('Two');
    await visit.settled();
    assert.deepEqual(visit.states, ['One failed', 'Two queued']);
    mock.timers.tick(30_000);
    await until(() => sends() === 3);
    await visit.settled();
    const [uuid = ''] = server.conversations;
    const stored = server.historyOf(uuid).map(({ content }) => content);
    assert.deepEqual(stored, ['One', answerTo('One'), 'Two', answerTo('Two')]);
  });

  it('can be retried earlier by the visitor, and then is not retried again', async () => {
    await refuse({ 'Retry-After': '5' });
    visit.conversation.retry();
    await visit.settled();
    mock.timers.tick(60_000);
    assert.equal(visit.conversation.snapshot.status, 'ready');
    assert.equal(sends(), 2);
  });
});

describe('pausing', () => {
  it('stops the wait, and opening resumes it', async () => {
    await refuse({ 'Retry-After': '5' });
    visit.conversation.pause();
    mock.timers.tick(60_000);
    assert.deepEqual(visit.states, ['One failed']);
    await visit.conversation.open();
    mock.timers.tick(1);
    await until(() => sends() === 2);
  });

  it('resumes the wait until the requested time', async () => {
    await refuse({ 'Retry-After': '5' });
    visit.conversation.pause();
    mock.timers.tick(2000);
    await visit.conversation.open();
    mock.timers.tick(2999);
    assert.deepEqual(visit.states, ['One failed']);
    mock.timers.tick(1);
    await until(() => sends() === 2);
  });

  it('starts no wait for an answer that comes afterwards', async () => {
    await visit.conversation.open();
    server.next('send', {
      raw: (response) => {
        visit.conversation.pause();
        response.writeHead(429, { 'Retry-After': '5' }).end('{}');
      },
    });
    visit.conversation.send('One');
    await visit.settled();
    mock.timers.tick(60_000);
    assert.deepEqual(visit.states, ['One failed']);
  });

  it('does not cancel an answer in progress', async () => {
    await visit.conversation.open();
    server.next('send', {
      raw: (response) => {
        visit.conversation.pause();
        response.end('{"status": true, "message": "Here"}');
      },
    });
    visit.conversation.send('One');
    await visit.settled();
    assert.deepEqual(visit.log, ['user: One', 'assistant: Here']);
  });

  it('leaves nothing that keeps a process alive', async () => {
    const script = new URL('paused-process.ts', import.meta.url);
    const child = spawn(process.execPath, [script.pathname], { stdio: ['ignore', 'pipe', 'inherit'] });
    const output = child.stdout.setEncoding('utf8').toArray();
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 0);
    assert.equal((await output).join(''), 'too-many-requests\n');
  });
});

/** The delays of all timers from now on. */
function timerDelays(test: { after: (end: () => void) => void }): number[] {
  const delays: number[] = [];
  const { setTimeout: original } = globalThis;
  globalThis.setTimeout = ((act: () => void, delay: number) => {
    delays.push(delay);
    return original(act, 1);
  }) as typeof setTimeout;
  test.after(() => {
    globalThis.setTimeout = original;
  });
  return delays;
}
