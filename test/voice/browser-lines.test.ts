import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright';
import { ask } from '../support/voice/ask.ts';
import { startCallService } from '../support/voice/call-service.ts';
import type { CallService } from '../support/voice/call-service.ts';
import { record } from '../support/voice/recording.ts';
import { callEngines, launch, poll, VisitorPage } from '../support/voice/visitor-page.ts';

const question = await record('Can you tell me your opening hours?');

for (const engine of callEngines()) {
  describe(`the line of a call from ${engine.name}`, () => {
    let service: CallService;
    let browser: Browser;
    before(async () => {
      service = await startCallService();
      browser = await launch(engine);
    });
    after(() => browser.close());

    const visit = async (path = '/') =>
      VisitorPage.open(await browser.newContext(), `${service.running.url}${path}`);

    it('violates nothing on a page with the strictest policy', async () => {
      const visitor = await visit('/hostile-policy.html');
      await visitor.callAndListen();
      await ask(visitor, service.calls.at(-1), question);
      await visitor.message(/^assistant: Our shop in Freiburg is open/);
      await visitor.part('call-end-button').click();
      assert.deepEqual(await visitor.page.evaluate(() => window.visitorSound.violations), []);
      assert.deepEqual(visitor.errors, []);
      await visitor.page.context().close();
    });

    it('is one for all tabs, and is over after a reload, which keeps the text', async () => {
      const visitor = await visit();
      const other = await VisitorPage.open(visitor.page.context(), service.running.url);
      const before = service.calls.length;
      const greeted = visitor.callAndListen();
      await other.part('call').getByText('in another tab').waitFor();
      assert.equal(await other.part('call-button').count(), 0);
      await greeted;
      await ask(visitor, service.calls.at(-1), question);
      await visitor.message(/^assistant: Our shop in Freiburg is open/);
      // Ends the answer, which is stored then.
      await visitor.page.keyboard.press('Escape');
      await other.message(/^user: .*opening hours/);
      assert.equal(await other.part('call').count(), 1);
      await visitor.page.reload();
      await other.part('call').waitFor({ state: 'detached' });
      assert.equal(service.calls.length, before + 1);
      await poll('the end of the call', () => service.calls.at(-1)?.isClosed || undefined);
      await visitor.openChat();
      await visitor.message(/^user: .*opening hours/);
      assert.equal(await visitor.part('call').count(), 0);
      await visitor.page.context().close();
    });

    it('is opened again after it was lost, and the call goes on; without a network, it gives up', async (context) => {
      const visitor = await visit();
      await visitor.callAndListen();
      service.isCutOff = true;
      const lostAt = Date.now();
      await visitor.until('lost');
      const noticedAt = Date.now();
      service.isCutOff = false;
      await visitor.until('listening', 'speaking');
      context.diagnostic(`noticed after ${noticedAt - lostAt} ms, open after ${Date.now() - noticedAt} ms`);
      const { start } = await visitor.say(question);
      await poll('speech', () => service.calls.at(-1)?.sent('input_audio_buffer.speech_started', start)[0]);

      // Once is enough, since it takes half a minute.
      if (engine.name !== callEngines()[0]?.name) return visitor.page.context().close();
      service.isCutOff = true;
      await visitor.until('lost');
      const since = Date.now();
      await visitor.until('over');
      const seconds = (Date.now() - since) / 1000;
      service.isCutOff = false;
      assert.match(await visitor.label(), /The line was lost/);
      assert(seconds > 9 && seconds < 20, `gave up after ${seconds} s`);
      await visitor.write('Do you deliver to Austria?');
      await visitor.message(/^assistant: [^]*Austria/);
      await visitor.page.context().close();
    });
  });
}
