import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { VoiceAssistantChat } from '../../src/widget/voice-assistant-chat.ts';
import { findEngines } from '../support/browser/browsers.ts';
import { startDemo } from '../support/service/demo-process.ts';
import type { DemoProcess } from '../support/service/demo-process.ts';
import { openDriver } from './driver.ts';
import type { Driver } from './driver.ts';
import { findPart, partTexts } from './find-part.ts';

const question = 'What are your opening hours?';

/** Returns the appearance of the widget: the computed style and the position of each part. */
function appearanceOf(parts: string[]): string[] {
  return parts.map((name) => {
    const part = findPart(name) as HTMLElement;
    const style = getComputedStyle(part);
    const { x, y, width, height } = part.getBoundingClientRect();
    const box = [x, y, width, height].map(Math.round).join(' ');
    // The page's custom properties are inherited but have no effect here.
    const values = Array.from(style)
      .filter((property) => !property.startsWith('--'))
      .map((property) => `${property}: ${style.getPropertyValue(property)}`);
    return [`${name} at ${box}`, ...values].join('\n');
  });
}

const parts = [
  'launcher',
  'panel',
  'header',
  'close-button',
  'message-assistant',
  'composer',
  'composer-input',
  'send-button',
];

describe('on a hostile page', () => {
  let demo: DemoProcess;
  before(async () => {
    demo = await startDemo();
  });
  after(() => demo.stop());

  for (const engine of findEngines()) {
    describe(`in ${engine.name}`, () => {
      let driver: Driver;
      before(async () => {
        driver = await openDriver(engine);
      });
      after(() => driver.close());

      let errorsBefore = 0;
      /** IDs of the conversations of earlier visits. */
      const deleted: string[] = [];

      /** The errors of this visit. A request for a conversation that was just deleted may fail, and be reported late. */
      const errors = (): string[] =>
        driver.errors.slice(errorsBefore).filter((text) => !deleted.some((id) => text.includes(id)));

      /** Opens a page with empty storage, and its chat. */
      async function visit(page: string): Promise<void> {
        await driver.open(`${demo.url}/${page}`);
        const ids = await driver.evaluate(
          () => JSON.stringify(localStorage).match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g) ?? [],
        );
        deleted.push(...ids);
        await driver.evaluate(() => {
          // Pending work of a chat might write to storage after it is cleared.
          for (const chat of document.querySelectorAll<VoiceAssistantChat>('voice-assistant-chat')) {
            chat.remove();
            if (chat.shadowRoot?.querySelector('#panel')) chat.forget();
          }
          localStorage.clear();
        });
        await driver.reload();
        errorsBefore = driver.errors.length;
        await driver.evaluate(() => {
          const violations: string[] = [];
          Object.assign(globalThis, { policyViolations: violations });
          document.addEventListener('securitypolicyviolation', (event) => {
            violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
          });
        });
        await driver.waitFor(() => findPart('launcher') !== undefined);
        await driver.waitFor(() => !findPart('launcher')?.parentElement?.hasAttribute('data-pending'));
        await driver.click(findPart, 'launcher');
        await driver.waitFor(() => partTexts('message-assistant').length === 1);
        await driver.waitFor(() => findPart('message-log')?.getAnimations().length === 0);
      }

      /** Sends a message and waits for the answer. */
      async function ask(text: string): Promise<void> {
        await driver.click(findPart, 'composer-input');
        await driver.type(text);
        await driver.press('Enter');
        await driver.waitFor(() => (partTexts('message-assistant')[1] ?? '').length > 40);
      }

      it('with the strictest policy, the chat renders Markdown, looks as usual, and violates nothing', async () => {
        await visit('hostile-nothing.html');
        await driver.evaluate(() => {
          (findPart('composer-input') as HTMLElement).blur();
        });
        const expected = await driver.evaluate(appearanceOf, parts);
        await visit('hostile-policy.html');
        await driver.evaluate(() => {
          (findPart('composer-input') as HTMLElement).blur();
        });
        assert.deepEqual(await driver.evaluate(appearanceOf, parts), expected);

        await ask(question);
        // Markdown is rendered as elements, without its markup characters.
        await driver.waitFor(() => findPart('message-log')?.querySelector('.markdown *') !== null);
        await driver.waitFor(() => !/\*\*|\]\(/.test(partTexts('message-assistant')[1] ?? '**'));
        assert.deepEqual(
          await driver.evaluate(
            () => (globalThis as unknown as { policyViolations: string[] }).policyViolations,
          ),
          [],
        );
        assert.deepEqual(errors(), []);
      });

      it('with styles on every element, the chat keeps its appearance', async () => {
        await visit('hostile-nothing.html');
        await driver.evaluate(() => {
          (findPart('composer-input') as HTMLElement).blur();
        });
        const expected = await driver.evaluate(appearanceOf, parts);
        await visit('hostile-style.html');
        await driver.evaluate(() => {
          (findPart('composer-input') as HTMLElement).blur();
        });
        assert.deepEqual(await driver.evaluate(appearanceOf, parts), expected);
        await ask(question);
      });

      it('with styles on every element, the page keeps its appearance', async () => {
        const pageAppearance = (): string[] =>
          Array.from(document.querySelectorAll('body, body *'), (element) => {
            if (element.localName === 'voice-assistant-chat') return '';
            const style = getComputedStyle(element);
            const { x, y, width, height } = element.getBoundingClientRect();
            const values = Array.from(
              style,
              (property) => `${property}: ${style.getPropertyValue(property)}`,
            );
            return [element.localName, x, y, width, height, ...values].join('\n');
          }).filter((appearance) => appearance !== '');
        await visit('hostile-style.html');
        const withChat = await driver.evaluate(pageAppearance);
        await driver.evaluate(() => {
          document.querySelector('voice-assistant-chat')?.remove();
        });
        assert.deepEqual(withChat, await driver.evaluate(pageAppearance));
      });

      describe('that moves the chat while an answer is written', () => {
        const press = (name: string) =>
          driver.evaluate((action) => {
            document.querySelector<HTMLElement>(`[data-do="${action}"]`)?.click();
          }, name);
        const isWhole = () =>
          /That is all there is to say\.$/.test(partTexts('message-assistant').at(-1) ?? '');

        async function askAndDraft(): Promise<void> {
          await visit('hostile-moves.html');
          await driver.click(findPart, 'composer-input');
          await driver.type(question);
          await driver.press('Enter');
          await driver.waitFor(() => /widths/.test(partTexts('message-assistant')[1] ?? ''));
          await driver.type('And next');
        }

        /** Expects the greeting, the question and the whole answer once each, and the draft. */
        async function expectNothingLost(): Promise<void> {
          await driver.waitFor(isWhole);
          assert.equal((await driver.evaluate(partTexts, 'message-assistant')).length, 2);
          assert.deepEqual(await driver.evaluate(partTexts, 'message-user'), [`You:\n${question}`]);
          assert.equal((await driver.evaluate(partTexts, 'panel')).length, 1);
          assert.equal(
            await driver.evaluate(() => (findPart('composer-input') as HTMLTextAreaElement).value),
            'And next',
          );
        }

        it('keeps everything when it is moved', async () => {
          await askAndDraft();
          await press('move');
          await press('shake');
          await expectNothingLost();
        });

        it('has the whole answer after it was removed and inserted again', async () => {
          await askAndDraft();
          await press('remove');
          await driver.waitFor(() => findPart('panel') === undefined);
          await press('add');
          await expectNothingLost();
        });

        it('keeps everything when a clone replaces it', async () => {
          await askAndDraft();
          await press('clone');
          await expectNothingLost();
          assert.equal(
            await driver.evaluate(() => document.querySelectorAll('voice-assistant-chat').length),
            1,
          );
        });

        it('has the question once and the whole answer after a reload', async () => {
          await askAndDraft();
          // The panel opens by itself, as the visitor left it.
          await driver.reload();
          await expectNothingLost();
        });
      });
    });
  }
});
