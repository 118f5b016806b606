import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { answerTo, ChatServer } from '../../support/servers/chat-server.ts';
import { until } from '../../support/until.ts';
import { Browser } from './visit.ts';

let server: ChatServer;
let browser: Browser;

beforeEach(async () => {
  server = await ChatServer.start({ streams: true });
  browser = new Browser();
  mock.timers.enable({ apis: ['setTimeout'] });
});
afterEach(async () => {
  browser.close();
  mock.timers.reset();
  await server.stop();
});

/** Lets the pauses between attempts pass. */
const pass = (): void => {
  mock.timers.tick(50);
};

describe('a message whose answer times out', () => {
  it('is looked up before it is sent again', async () => {
    const hasty = browser.visit(server, { answerTimeout: 60_000 });
    await hasty.conversation.open();
    server.next('send', { raw: () => undefined });
    hasty.conversation.send('One');
    await until(() => server.seen('send').length === 1);
    mock.timers.tick(59_999);
    assert.deepEqual(hasty.events, ['opened']);
    mock.timers.tick(1);
    await hasty.settled(pass);
    assert.deepEqual(hasty.events, ['opened', 'problem timeout']);
    hasty.goAway();
    const patient = browser.visit(server);
    void patient.conversation.open();
    await patient.settled(pass);
    assert.deepEqual(patient.states, ['One sent']);
    const [uuid = ''] = server.conversations;
    assert.deepEqual(
      server.historyOf(uuid).map(({ content }) => content),
      ['One', answerTo('One')],
    );
  });
});
