import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findEngines } from '../support/browser/browsers.ts';
import { startDemo } from '../support/service/demo-process.ts';
import type { DemoProcess } from '../support/service/demo-process.ts';
import { openDriver } from './driver.ts';
import type { Driver } from './driver.ts';
import { findPart, partTexts } from './find-part.ts';

const question = 'When are you open on Saturdays?';

describe('npm start', () => {
  let demo: DemoProcess;
  before(async () => {
    demo = await startDemo({}, ['npm', 'start', '--', '--json']);
  });
  after(() => demo.stop());

  it('prints the demo’s URL, an API key and the assistants', async () => {
    assert.match(demo.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.deepEqual(
      demo.assistants.map(({ shows }) => shows),
      ['greeting', 'no-greeting', 'settings', 'german', 'arabic', 'no-balance'],
    );
    const response = await fetch(`${demo.url}/api/user/me`, {
      headers: { Authorization: `Bearer ${demo.apiKey}` },
    });
    assert.equal(response.status, 200);
  });

  for (const engine of findEngines()) {
    describe(`in ${engine.name}`, () => {
      let driver: Driver;
      before(async () => {
        driver = await openDriver(engine);
      });
      after(() => driver.close());

      it('greets the visitor when the chat opens, and answers', async () => {
        await driver.open(`${demo.url}/`);
        await driver.waitFor(() => findPart('launcher') !== undefined);
        assert.deepEqual(
          await driver.evaluate(partTexts, 'message-log'),
          [],
          'the chat opened without a click',
        );

        await driver.click(findPart, 'launcher');
        await driver.waitFor(() =>
          partTexts('message-assistant')[0]?.includes("Hi there! I'm Kim from Nordkamm."),
        );

        await driver.click(findPart, 'composer-input');
        await driver.type(question);
        await driver.press('Enter');
        await driver.waitFor((text) => partTexts('message-user')[0]?.includes(text), question);
        await driver.waitFor(() => /saturday/i.test(partTexts('message-assistant')[1] ?? ''));
      });

      it('opens the conversation of the preview with a preview token, which the snippet lacks', async () => {
        await driver.open(`${demo.url}/preview.html`);
        await driver.waitFor(() => {
          const frame = document.querySelector<HTMLIFrameElement>('.device iframe');
          const chat = frame?.contentDocument?.querySelector('voice-assistant-chat');
          const isOpen = chat?.shadowRoot?.querySelector('[part~=message-assistant]') != null;
          return isOpen && chat.getAttribute('user-token')?.startsWith('vpt_');
        });
        const snippet = await driver.evaluate(() => document.querySelector('#snippet')?.textContent);
        assert.doesNotMatch(snippet ?? '', /token|vpt_/);
      });

      it('requests a preview token again after a failed request', async () => {
        const change = () => {
          const choice = document.querySelector<HTMLSelectElement>('[name=choice]');
          if (choice) choice.selectedIndex = 1;
          choice?.dispatchEvent(new Event('change', { bubbles: true }));
        };
        const isPreviewed = (start: string) => {
          const uuid = document.querySelector<HTMLSelectElement>('[name=choice]')?.value;
          const frame = document.querySelector<HTMLIFrameElement>('.device iframe');
          const chat = frame?.contentDocument?.querySelector('voice-assistant-chat');
          const token = chat?.getAttribute('user-token') ?? '';
          return chat?.getAttribute('assistant-id') === uuid && token.slice(0, 4) === start;
        };
        await driver.evaluate(() => {
          const { fetch } = globalThis;
          globalThis.fetch = () => {
            globalThis.fetch = fetch;
            return Promise.reject(new TypeError('Failed to fetch'));
          };
        });
        await driver.evaluate(change);
        await driver.waitFor(isPreviewed, '');
        await driver.evaluate(change);
        await driver.waitFor(isPreviewed, 'vpt_');
        await driver.open(`${demo.url}/`);
      });

      it('keeps the conversation, and the open panel, across a reload', async () => {
        await driver.reload();
        const messages = await driver.waitFor(() => {
          const texts = partTexts('message');
          return texts.length === 3 ? texts : undefined;
        });
        assert.ok(messages[1]?.includes(question));
        assert.match(messages[2] ?? '', /saturday/i);
      });

      it('has left no error in the console', () => {
        assert.deepEqual(driver.errors, []);
      });
    });
  }
});
