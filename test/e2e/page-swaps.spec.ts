import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findEngines } from '../support/browser/browsers.ts';
import { repository } from '../support/repository.ts';
import { assistantThatShows, startDemo } from '../support/service/demo-process.ts';
import type { DemoProcess } from '../support/service/demo-process.ts';
import { openDriver } from './driver.ts';
import type { Driver } from './driver.ts';
import { findPart, partTexts } from './find-part.ts';

const libraries = {
  turbo: '@hotwired/turbo/dist/turbo.es2017-umd.js',
  htmx: 'htmx.org/dist/htmx.min.js',
  // The script's own router, as Astro's: replaces the body in a view transition, and runs no script again.
  transitions: undefined,
} as const;

const router = `addEventListener('click', async (event) => {
  const link = event.target.closest?.('a');
  if (!link) return;
  event.preventDefault();
  const page = new DOMParser().parseFromString(await (await fetch(link.href)).text(), 'text/html');
  const swap = () => { document.title = page.title; document.body.replaceWith(page.body); };
  document.startViewTransition ? document.startViewTransition(swap) : swap();
});`;

describe('a chat on a site whose pages are swapped without a reload', () => {
  let demo: DemoProcess;
  let site: Server;
  let address: string;

  /**
   * The pages /LIBRARY/PLACE/NUMBER: the snippet is in the head or the body, on every page but the third. On the page
   * `ada`, a user is signed in; the page `other` has another assistant. The page `contact` also has the chat in a box, and
   * the page `box` has it only there. The page `3` hides the chat, as the documentation says.
   */
  const pageAt = (library: string, place: string, number: string): string => {
    const user =
      number === 'ada' ? `data-user-key="ada" data-variables="{&quot;plan&quot;:&quot;pro&quot;}"` : '';
    const assistant = assistantThatShows(number === 'other' ? 'no-greeting' : 'greeting', demo);
    const tag = `<script src="${demo.url}/embed.js" data-assistant-id="${assistant}" ${user} async></script>`;
    const tagIn = (wanted: string) => (place === wanted && !['3', 'box'].includes(number) ? tag : '');
    const box = `<div id="box" style="height: 30rem">${tag.replace('async', 'data-heading="Write to us" data-inline async')}</div>`;
    const script =
      library === 'transitions' ? `<script>${router}</script>` : `<script src="/${library}.js"></script>`;
    const links = ['1', '2', '3', 'ada', 'other', 'contact', 'box'].map(
      (to) => `<a id="to-${to}" href="/${library}/${place}/${to}">${to}</a>`,
    );
    return `<!doctype html><html lang="en"><head><title>Page ${number}</title><link rel="icon" href="data:,">
      <style>${hidingStyles}</style>${script}${tagIn('head')}</head>
      <body hx-boost="${String(library === 'htmx')}"><h1>Page ${number}</h1>${number === '3' ? '<p id="checkout">' : ''}
      ${links.join(' ')}${['contact', 'box'].includes(number) ? box : ''}${tagIn('body')}</body></html>`;
  };

  let hidingStyles: string;

  before(async () => {
    const text = await readFile(join(repository, 'docs/embed/turbo.md'), 'utf8');
    hidingStyles = Array.from(text.matchAll(/```css\n(.*?)```/gs), ([, css]) => css).join('');
    demo = await startDemo();
    site = createServer(({ url = '/' }, response) => {
      const [, library = '', place, number] = url.split('/');
      if (place !== undefined && number !== undefined) {
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(pageAt(library, place, number));
        return;
      }
      const file = Object.entries(libraries).find(([name]) => url === `/${name}.js`)?.[1];
      response.setHeader('Content-Type', file ? 'text/javascript' : 'text/html');
      if (!file) response.end('<title>Blank</title>');
      else
        readFile(join(repository, 'node_modules', file)).then(
          (content) => response.end(content),
          () => response.destroy(),
        );
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    address = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}`;
  });

  after(async () => {
    site.close();
    await demo.stop();
  });

  for (const engine of findEngines()) {
    describe(`in ${engine.name}`, () => {
      let driver: Driver;
      before(async () => {
        driver = await openDriver(engine);
      });
      after(() => driver.close());

      const goTo = async (number: string) => {
        await driver.click((id) => document.getElementById(id), `to-${number}`);
        await driver.waitFor(
          (title) => document.querySelector('h1')?.textContent === title,
          `Page ${number}`,
        );
      };
      const chats = () => driver.evaluate(() => document.querySelectorAll('voice-assistant-chat').length);

      for (const library of Object.keys(libraries)) {
        for (const place of ['head', 'body']) {
          it(`keeps one chat, its conversation, its panel and its draft: ${library}, snippet in the ${place}`, async () => {
            await driver.open(`${address}/`);
            await driver.evaluate(() => {
              localStorage.clear();
            });
            await driver.open(`${address}/${library}/${place}/1`);
            await driver.waitFor(() => findPart('launcher') !== undefined);
            await driver.click(findPart, 'launcher');
            await driver.waitFor(() => partTexts('message-assistant').length === 1);
            await driver.click(findPart, 'composer-input');
            await driver.type('Half a sent');
            await driver.evaluate(() => {
              Object.assign(document.querySelector('voice-assistant-chat') ?? {}, { isTheFirst: true });
            });
            for (const number of ['2', '1', '3', '2']) {
              await goTo(number);
              assert.equal(await chats(), 1, `page ${number}`);
              const isHidden = number === '3';
              await driver.waitFor(
                (messages) => {
                  const chat = document.querySelector('voice-assistant-chat') as unknown as Record<
                    string,
                    unknown
                  >;
                  const input = findPart('composer-input') as HTMLTextAreaElement | undefined;
                  return (
                    chat['isTheFirst'] === true &&
                    chat['open'] === true &&
                    input?.value === 'Half a sent' &&
                    partTexts('message-assistant').length === messages
                  );
                },
                isHidden ? 0 : 1,
              );
              for (const part of ['launcher', 'panel'])
                assert.equal(
                  await driver.evaluate((part) => findPart(part)?.checkVisibility(), part),
                  !isHidden,
                  `${part} of page ${number}`,
                );
            }
          });
        }
      }

      for (const library of ['turbo', 'htmx'])
        for (const place of ['head', 'body'])
          it(`shows one chat in the box of a page, and one beside the body if its script is there: ${library}, snippet in the ${place}`, async () => {
            await driver.open(`${address}/`);
            await driver.evaluate(() => {
              localStorage.clear();
            });
            await driver.open(`${address}/${library}/${place}/1`);
            await driver.waitFor(() => findPart('launcher') !== undefined);
            for (const number of ['contact', '2', 'back', '2', 'box', '1']) {
              if (number === 'back')
                await driver.evaluate(() => {
                  history.back();
                });
              else await goTo(number);
              const isInBox = ['contact', 'back', 'box'].includes(number);
              // A script in the head stays when a page without it is swapped in.
              const floats = number !== 'box' || place === 'head';
              await driver.waitFor(
                ({ isInBox, floats }) => {
                  const chats = [...document.querySelectorAll('voice-assistant-chat')];
                  const box = document.getElementById('box');
                  const inBox = chats.filter(({ parentElement }) => box && parentElement === box);
                  return (
                    !!box === isInBox &&
                    inBox.length === Number(isInBox) &&
                    inBox.every(({ inline, heading }) => inline && heading === 'Write to us') &&
                    document.querySelectorAll('html > voice-assistant-chat:not([inline], [heading])')
                      .length === Number(floats) &&
                    chats.length === Number(isInBox) + Number(floats)
                  );
                },
                { isInBox, floats },
              );
            }
          });

      /** Runs the script of the box again, as a router does after going back, or one of an earlier page that loads late. */
      const runScript = async (which: 'of the box' | 'of an earlier page') => {
        await driver.evaluate((isLate) => {
          const scope = globalThis as { isScriptDone?: boolean; voiceAssistantChat?: unknown };
          scope.isScriptDone = false;
          // The calls of a queue are made when the chat is in the page.
          scope.voiceAssistantChat = [
            () => {
              scope.isScriptDone = true;
            },
          ];
          const old = document.querySelector('#box > script') as HTMLScriptElement;
          const script = document.createElement('script');
          for (const { name, value } of old.attributes)
            if (!isLate || !['data-inline', 'data-heading'].includes(name)) script.setAttribute(name, value);
          if (isLate) {
            document.head.append(script);
            script.remove();
          } else old.replaceWith(script);
        }, which === 'of an earlier page');
        await driver.waitFor(() => (globalThis as { isScriptDone?: boolean }).isScriptDone === true);
      };

      it('shows no second chat if the script of an earlier page loads late', async () => {
        await driver.open(`${address}/turbo/body/2`);
        await driver.waitFor(() => findPart('launcher') !== undefined);
        await goTo('box');
        await driver.waitFor(() => document.querySelectorAll('#box > voice-assistant-chat').length === 1);
        await runScript('of an earlier page');
        assert.equal(await chats(), 1);
      });

      it('keeps the chat beside the box if the script of an earlier page loads after going back', async () => {
        await driver.open(`${address}/turbo/body/contact`);
        await driver.waitFor(() => document.querySelectorAll('voice-assistant-chat').length === 2);
        // A router that goes back restores a copy of the page.
        await driver.evaluate(() => {
          const chat = document.querySelector('#box > voice-assistant-chat');
          chat?.replaceWith(chat.cloneNode());
        });
        await runScript('of an earlier page');
        await runScript('of the box');
        assert.equal(await chats(), 2);
      });

      for (const library of ['turbo', 'htmx']) {
        it(`shows the assistant of the page, and no other: ${library}, snippets in the body`, async () => {
          const [usual, other] = (['greeting', 'no-greeting'] as const).map((shows) =>
            assistantThatShows(shows, demo),
          );
          await driver.open(`${address}/${library}/body/1`);
          for (const page of ['other', '1', 'other', '2']) {
            await goTo(page);
            await driver.waitFor(
              (id) =>
                Array.from(document.querySelectorAll('voice-assistant-chat'), (chat) =>
                  chat.getAttribute('assistant-id'),
                ).join() === id,
              page === 'other' ? other : usual,
            );
          }
        });

        it(`takes the attributes of the new page’s script, so nobody sees a signed-out user’s conversation: ${library}, snippets in the body`, async () => {
          await driver.open(`${address}/`);
          await driver.evaluate(() => {
            localStorage.clear();
          });
          await driver.open(`${address}/${library}/body/ada`);
          await driver.waitFor(() => findPart('launcher') !== undefined);
          await driver.evaluate(() => {
            document.querySelector('voice-assistant-chat')?.setAttribute('heading', 'Set by the page');
          });
          await driver.click(findPart, 'launcher');
          await driver.waitFor(() => partTexts('message-assistant').length === 1);
          await driver.click(findPart, 'composer-input');
          await driver.type('My secret\n');
          await driver.waitFor(() => partTexts('message-assistant').length === 2);
          for (const page of ['1', 'ada', '2']) {
            await goTo(page);
            const isAda = page === 'ada';
            await driver.waitFor(
              (isAda) =>
                partTexts('message-assistant').length > 0 &&
                partTexts('message-user').join().includes('My secret') === isAda,
              isAda,
            );
            const attributes = await driver.evaluate(() => {
              const chat = document.querySelector('voice-assistant-chat');
              return ['user-key', 'variables', 'heading', 'open'].map(
                (name) => chat?.getAttribute(name) ?? null,
              );
            });
            const own = isAda ? ['ada', '{"plan":"pro"}'] : [null, null];
            assert.deepEqual(attributes, [...own, 'Set by the page', ''], `page ${page}`);
          }
        });
      }
    });
  }
});
