import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../support/voice/ask.ts';
import { startCallService } from '../support/voice/call-service.ts';
import { eventually } from '../support/eventually.ts';
import { record } from '../support/voice/recording.ts';
import { callEngines, launch, VisitorPage } from '../support/voice/visitor-page.ts';

for (const engine of callEngines())
  test(`what a visitor says right before hanging up is stored, in ${engine.name}`, async () => {
    const goodbye = await record('Thank you, goodbye.');
    const service = await startCallService();
    const browser = await launch(engine);
    try {
      const visitor = await VisitorPage.open(await browser.newContext(), service.running.url);
      await visitor.call();
      await visitor.until('listening');
      const [call] = service.calls;
      assert(call);
      await ask(visitor, call, await record('Can you tell me your opening hours?'));
      await visitor.message(/^assistant: Our shop in Freiburg is open/);
      await visitor.until('speaking');
      await visitor.until('listening');
      const { end } = await visitor.say(goodbye);
      // The service has the words, and has not transcribed them yet.
      await pause(Math.max(0, end - Date.now()) + 300);
      await visitor.part('call-end-button').click();
      const { transcript } = await eventually('the end of the call', async () => {
        const { rows } = await service.running.database.pool.query<{ transcript: string }>(
          'SELECT transcript FROM calls WHERE ended_at IS NOT NULL',
        );
        return rows[0];
      });
      assert.match(transcript, /Our shop in Freiburg is open[^]*goodbye/i);
    } finally {
      await browser.close();
    }
  });
