import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { Window as HappyWindow } from 'happy-dom';
import * as jsdom from 'jsdom';
import { siteWithPackage } from './installed-package.ts';

interface SimulatedWindow {
  document: Document;
  eval(script: string): unknown;
  close(): void;
}

/** Without declarations of its own. */
const jsdomOfJest = createRequire(import.meta.url)('jsdom-26') as typeof jsdom;

const openJsdom =
  ({ JSDOM, VirtualConsole }: typeof jsdom) =>
  (errors: string[]): SimulatedWindow => {
    const virtualConsole = new VirtualConsole();
    virtualConsole.on('jsdomError', (error) => errors.push(String(error.stack)));
    const { window } = new JSDOM('<!doctype html><html lang="en"><body></body>', {
      url: 'https://site.example/',
      runScripts: 'outside-only',
      virtualConsole,
    });
    window.addEventListener('error', ({ message }) => errors.push(message));
    return window;
  };

/** As test runners create them: without a network, and with the APIs that the library has. */
const libraries: Record<string, (errors: string[]) => SimulatedWindow> = {
  jsdom: openJsdom(jsdom),
  // An older one, without `CSSStyleSheet.replaceSync`.
  'the jsdom of Jest 30': openJsdom(jsdomOfJest),
  'happy-dom': (errors) => {
    const window = new HappyWindow({
      url: 'https://site.example/',
      settings: {
        enableJavaScriptEvaluation: true,
        suppressInsecureJavaScriptEnvironmentWarning: true,
        fetch: { interceptor: { beforeAsyncRequest: () => Promise.reject(new Error('no network')) } },
      },
    });
    window.addEventListener('error', (event) => errors.push((event as unknown as ErrorEvent).message));
    return window as unknown as SimulatedWindow;
  },
};

for (const [library, open] of Object.entries(libraries)) {
  describe(`a test in ${library}`, () => {
    let script: string;
    const errors: string[] = [];
    const collect = (error: unknown) =>
      void errors.push(error instanceof Error ? String(error.stack) : String(error));
    const site = siteWithPackage();
    before(async () => {
      process.on('unhandledRejection', collect).on('uncaughtException', collect);
      const main = site.write('main.js', `import 'voice-assistant-chat';`);
      const { outputFiles } = await build({
        entryPoints: [main],
        bundle: true,
        write: false,
        format: 'iife',
        logLevel: 'silent',
      });
      script = outputFiles[0]?.text ?? '';
    });
    after(() => {
      process.off('unhandledRejection', collect).off('uncaughtException', collect);
      site.remove();
    });

    it('imports, mounts, opens, moves and unmounts the chat without an error', async () => {
      const window = open(errors);
      window.eval(script);
      const { document } = window;
      const chat = document.createElement('voice-assistant-chat');
      assert.equal(typeof chat.show, 'function');
      chat.assistantId = '0b9d6f6e-0000-4000-8000-000000000000';
      chat.baseUrl = 'https://service.example';
      chat.teaser = 'Hello';
      chat.color = '#b3261e';
      document.body.append(chat);
      assert.ok(chat.shadowRoot?.querySelector('button'), errors.join('\n'));
      const seen: string[] = [];
      chat.addEventListener('chat-open', ({ type }) => seen.push(type));
      chat.show();
      assert.equal(chat.open, true);
      for (let tries = 0; tries < 100 && seen.length === 0; tries++) await delay(20);
      assert.deepEqual(seen, ['chat-open']);
      chat.send('Hello');
      chat.variables = { first_name: 'Ada' };
      chat.hide();
      chat.remove();
      await delay(0);
      document.body.append(chat);
      await delay(0);
      chat.remove();
      // Idle tasks run two seconds later at the latest.
      await delay(2500);
      window.close();
      assert.deepEqual(errors, []);
    });
  });
}
