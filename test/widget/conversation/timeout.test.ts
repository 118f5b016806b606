import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { answerTo, ChatServer } from '../../support/servers/chat-server.ts';
import { Browser } from './visit.ts';

/* With real timers, since the test is about durations. */

let server: ChatServer;
let browser: Browser;

beforeEach(async () => {
  server = await ChatServer.start({ streams: true });
  browser = new Browser();
});
afterEach(() => server.stop());

describe('a message whose answer times out', () => {
  it('is looked up before it is sent again', async () => {
    const hasty = browser.visit(server, { answerTimeout: 40 });
    await hasty.conversation.open();
    server.next('send', { raw: () => undefined });
    hasty.conversation.send('One');
    await hasty.settled();
    assert.deepEqual(hasty.events, ['opened', 'problem timeout']);
    hasty.goAway();
    const patient = browser.visit(server);
    void patient.conversation.open();
    await patient.settled();
    assert.deepEqual(patient.states, ['One sent']);
    const [uuid = ''] = server.conversations;
    assert.deepEqual(
      server.historyOf(uuid).map(({ content }) => content),
      ['One', answerTo('One')],
    );
    patient.goAway();
  });
});
