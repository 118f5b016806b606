import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Browser } from 'playwright';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { ask } from '../support/voice/ask.ts';
import { assistantId, startCallService } from '../support/voice/call-service.ts';
import type { CallService } from '../support/voice/call-service.ts';
import { record } from '../support/voice/recording.ts';
import { eventually } from '../support/eventually.ts';
import { callEngines, launch, VisitorPage } from '../support/voice/visitor-page.ts';
import { openPage, reloadPage } from '../support/browser/open-page.ts';

const question = await record('Can you tell me your opening hours?');

for (const engine of callEngines()) {
  describe(`the connection of a call from ${engine.name}`, () => {
    let service: CallService;
    let browser: Browser;
    before(async () => {
      service = await startCallService();
      browser = await launch(engine);
    });
    after(() => browser.close());
    // In a hook, so also after a failure: all services share the network.
    afterEach(() => {
      service.isCutOff = false;
    });

    const visit = async (path = '/') =>
      VisitorPage.open(await browser.newContext(), `${service.running.url}${path}`);

    it('violates no rule of the strictest Content Security Policy', async () => {
      const visitor = await visit('/hostile-policy.html');
      await visitor.callAndListen();
      await ask(visitor, service.calls.at(-1), question);
      await visitor.message(/^assistant: Our shop in Freiburg is open/);
      await visitor.part('call-end-button').click();
      assert.deepEqual(await visitor.page.evaluate(() => window.visitorSound.violations), []);
      assert.deepEqual(visitor.errors, []);
      await visitor.page.context().close();
    });

    it('is refused in a frame without permission for the microphone, and the bar shows why', async () => {
      const { url } = service.running;
      const site = await startLoopbackServer((request, response) => {
        const isFrame = request.headers.host?.startsWith('localhost') === true;
        const { port } = new URL(`http://${request.headers.host ?? ''}`);
        const content = isFrame
          ? `<script src="${url}/embed.js" data-assistant-id="${assistantId}" data-voice="call"></script>`
          : `<iframe src="http://localhost:${port}/" width="900" height="600"></iframe>`;
        response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html>${content}`);
      });
      // Without a device, Chromium says only that there is none.
      const args = engine.name === 'chromium' ? [...engine.args, '--use-fake-device-for-media-stream'] : [];
      const framing = await launch(engine.name === 'chromium' ? { ...engine, args } : engine);
      const page = await framing.newPage();
      await openPage(page, site.url);
      const chat = page.frameLocator('iframe');
      // Playwright's own clicks miss frames of other origins in Firefox.
      for (const part of ['launcher', 'call-button'])
        await chat.locator(`[part~="${part}"]`).evaluate((button: HTMLElement) => {
          button.click();
        });
      await chat.locator('[part="call"]').getByText('This page does not allow the microphone').waitFor();
      await framing.close();
      await site.close();
    });

    it('is shown in all tabs, and ends at a reload, which keeps the transcript', async () => {
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
      await reloadPage(visitor.page);
      await other.part('call').waitFor({ state: 'detached' });
      assert.equal(service.calls.length, before + 1);
      await eventually('the end of the call', () => service.calls.at(-1)?.isClosed || undefined);
      await visitor.openChat();
      await visitor.message(/^user: .*opening hours/);
      assert.equal(await visitor.part('call').count(), 0);
      await visitor.page.context().close();
    });

    it('is restored after a loss, and ends the call if the network stays down', async (context) => {
      const visitor = await visit();
      await visitor.callAndListen();
      service.isCutOff = true;
      const lostAt = Date.now();
      await visitor.until('reconnecting');
      const noticedAt = Date.now();
      service.isCutOff = false;
      await visitor.until('listening', 'speaking');
      context.diagnostic(`noticed after ${noticedAt - lostAt} ms, open after ${Date.now() - noticedAt} ms`);
      const { start } = await visitor.say(question);
      await eventually(
        'speech',
        () => service.calls.at(-1)?.sent('input_audio_buffer.speech_started', start)[0],
      );

      // Once is enough, since it takes half a minute.
      if (engine.name !== callEngines()[0]?.name) return visitor.page.context().close();
      service.isCutOff = true;
      await visitor.until('reconnecting');
      const since = Date.now();
      await visitor.until('over');
      const seconds = (Date.now() - since) / 1000;
      service.isCutOff = false;
      assert.match(await visitor.label(), /The connection was lost/);
      assert(seconds > 9 && seconds < 20, `gave up after ${seconds} s`);
      await visitor.write('Do you deliver to Austria?');
      await visitor.message(/^assistant: [^]*Austria/);
      await visitor.page.context().close();
    });
  });
}
