import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { after, before, describe, it } from 'node:test';
import { build } from 'esbuild';
import { chromium, type Browser } from 'playwright';
import { findEngines } from '../support/browser/browsers.ts';
import { eventually } from '../support/eventually.ts';
import { siteWithPackage, type Site } from './installed-package.ts';

const run = promisify(execFile);

const executable = findEngines(['chromium']).find((engine) => engine.name === 'chromium');

/** The pages of a site that renders on the server and hydrates in the browser: `/`, and `/inline` with an open chat. */
const app = (
  address: string,
) => `import { createElement, useCallback, useEffect, useRef, useState } from 'react';
import { VoiceAssistantChat } from 'voice-assistant-chat/react';

export const App = ({ path }) => createElement(path === '/inline' ? Inline : Start);

function Inline() {
  const [opened, setOpened] = useState(0);
  const [method, setMethod] = useState('');
  const [shown, setShown] = useState(true);
  const [refs, setRefs] = useState(0);
  const ref = useCallback((chat) => {
    if (chat) setMethod(typeof chat.show);
    setRefs((count) => count + 1);
  }, []);
  return createElement('main', null,
    createElement('output', null, String(opened)),
    createElement('p', null, method),
    createElement('i', null, String(refs)),
    createElement('button', { id: 'toggle', onClick: () => setShown(!shown) }, 'Route'),
    shown && createElement(VoiceAssistantChat, {
      assistantId: '0b9d6f6e-0000-4000-8000-000000000000', baseUrl: '${address}', inline: true, persist: 'none',
      ref, context: { page: 'Contact' }, onChatOpen: () => setOpened((count) => count + 1),
    }),
  );
}

function Start() {
  const [opened, setOpened] = useState(0);
  const [shown, setShown] = useState(true);
  const [name, setName] = useState('Ada');
  const chat = useRef(null);
  useEffect(() => {
    if (chat.current) chat.current.messages = { chat: 'Ask' };
  }, [shown]);
  return createElement('main', null,
    createElement('output', null, String(opened)),
    createElement('button', { id: 'toggle', onClick: () => setShown(!shown) }, 'Route'),
    createElement('button', { id: 'rename', onClick: () => setName('Grace') }, 'Rename'),
    shown && createElement(VoiceAssistantChat, {
      assistantId: '0b9d6f6e-0000-4000-8000-000000000000', baseUrl: 'https://service.invalid', preload: 'none',
      className: 'chat', keepDays: 7, sound: true, voice: false, 'data-testid': 'chat', 'aria-hidden': false, ref: chat,
      variables: { first_name: name }, context: { page: 'Start' }, suggestions: ['Hello'],
      hidden: name === 'Grace', onChatOpen: () => setOpened((count) => count + 1),
    }, createElement('p', { slot: 'notice' }, 'A notice')),
  );
}
`;

const versions: Readonly<Record<string, () => Promise<Site>>> = {
  'React 19': () => Promise.resolve(siteWithPackage(['react', 'react-dom', 'scheduler'])),
  // Installed, since npm allows no second React beside the first one.
  'React 18': async () => {
    const site = siteWithPackage();
    await run(
      'npm',
      [
        'install',
        '--no-save',
        '--no-audit',
        '--no-fund',
        '--prefer-offline',
        '--prefix',
        'react-18',
        'react@18.3.1',
        'react-dom@18.3.1',
      ],
      { cwd: site.folder },
    );
    for (const name of ['react', 'react-dom', 'scheduler', 'loose-envify', 'js-tokens'])
      await rename(join(site.folder, 'react-18/node_modules', name), join(site.folder, 'node_modules', name));
    return site;
  },
};

for (const [version, openSite] of Object.entries(versions))
  describe(
    `voice-assistant-chat/react with ${version}`,
    { skip: executable ? false : 'needs Chromium' },
    () => {
      let site: Site;
      let browser: Browser;
      let render: (path: string) => string;
      let script: string;
      let address: string;
      /** The variables of the conversations that chats have opened. The service has no assistant. */
      const opened: unknown[] = [];
      const server = createServer((request, response) => {
        const { url = '/' } = request;
        if (url.startsWith('/api/')) {
          response.statusCode = 404;
          void json(request)
            .then((body) => opened.push((body as { variables?: unknown }).variables))
            // A request without a body, for the assistant's settings.
            .catch(() => undefined)
            .finally(() => response.end());
          return;
        }
        response.setHeader(
          'Content-Type',
          `text/${url === '/main.js' ? 'javascript' : 'html'}; charset=utf-8`,
        );
        response.end(
          url === '/main.js'
            ? script
            : `<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,"><div id="app">${render(url)}</div>
           <script type="module" src="/main.js"></script></html>`,
        );
      });

      before(async () => {
        assert.ok(executable);
        site = await openSite();
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        site.write('app.js', app(address));
        site.write(
          'main.js',
          `import { hydrateRoot } from 'react-dom/client';
       import { createElement } from 'react';
       import { App } from './app.js';
       hydrateRoot(document.querySelector('#app'), createElement(App, { path: location.pathname }), { onRecoverableError: console.error });`,
        );
        const rendering = site.write(
          'render.js',
          `import { createElement } from 'react';
       import { renderToString } from 'react-dom/server';
       import { App } from './app.js';
       export const render = (path) => renderToString(createElement(App, { path }));`,
        );
        // On a server, as a framework does it: the package is imported by Node.
        ({ render } = (await import(pathToFileURL(rendering).href)) as { render: typeof render });
        const { outputFiles } = await build({
          entryPoints: [join(site.folder, 'main.js')],
          bundle: true,
          write: false,
          format: 'esm',
          // Only this build of React warns of differences between server and browser.
          define: { 'process.env.NODE_ENV': '"development"' },
        });
        script = outputFiles[0]?.text ?? '';
        browser = await chromium.launch({ executablePath: executable.executablePath, args: executable.args });
      });
      after(async () => {
        await browser.close();
        server.close();
        site.remove();
      });

      it('renders the attributes on a server', () => {
        const [, tag = ''] = /<(voice-assistant-chat [^>]*)>/.exec(render('/')) ?? [];
        for (const part of [
          'assistant-id="0b9d6f6e',
          'keep-days="7"',
          'class="chat"',
          'sound=""',
          'data-testid="chat"',
          'aria-hidden="false"',
          'first_name',
        ])
          assert.ok(tag.includes(part), tag);
        assert.ok(!tag.includes('voice=') && !tag.includes('context') && !tag.includes('object Object'), tag);
      });

      it('sets objects and listeners after hydration, without a warning, also after leaving and coming back', async () => {
        const page = await browser.newPage();
        const problems: string[] = [];
        page.on('console', (message) => {
          if (['error', 'warning'].includes(message.type())) problems.push(message.text());
        });
        page.on('pageerror', ({ message }) => problems.push(message));
        await page.goto(address);
        const chat = page.locator('voice-assistant-chat');
        const values = () =>
          chat.evaluate((element) => {
            const { variables, context, suggestions, messages, sound, voice, keepDays, hidden, dataset } =
              element as HTMLElementTagNameMap['voice-assistant-chat'];
            const { testid } = dataset;
            return { variables, context, suggestions, messages, sound, voice, keepDays, hidden, testid };
          });
        const isHydrated = () =>
          page.waitForFunction(() => document.querySelector('voice-assistant-chat')?.messages !== undefined);
        await isHydrated();
        const expected = {
          variables: { first_name: 'Ada' },
          context: { page: 'Start' },
          suggestions: ['Hello'],
          // Set by an effect, through the ref.
          messages: { chat: 'Ask' },
          sound: true,
          // The attribute is absent.
          voice: null,
          keepDays: '7',
          hidden: false,
          testid: 'chat',
        };
        assert.deepEqual(await values(), expected);
        await chat.evaluate((element) => {
          element.setAttribute('open', '');
        });
        await page.locator('output', { hasText: '1' }).waitFor();

        await page.locator('#toggle').click();
        await chat.waitFor({ state: 'detached' });
        await page.locator('#toggle').click();
        await isHydrated();
        await page.locator('#rename').click();
        await page.waitForFunction(() =>
          document.querySelector('voice-assistant-chat')?.getAttribute('variables')?.includes('Grace'),
        );
        assert.deepEqual(await values(), { ...expected, variables: { first_name: 'Grace' }, hidden: true });
        // The service does not exist.
        assert.deepEqual(
          problems.filter(
            (text) => !/ERR_NAME_NOT_RESOLVED|service\.invalid.* failed with network/.test(text),
          ),
          [],
        );
        await page.close();
      });

      it('sets objects and listeners before a chat that is open at once opens its conversation', async () => {
        const page = await browser.newPage();
        await page.goto(`${address}/inline`);
        await eventually('the first conversation', () => opened.length === 1);
        assert.deepEqual(opened, [{ page: 'Contact' }]);
        await page.locator('output', { hasText: '1' }).waitFor();
        assert.equal(
          await page.locator('main > p').textContent(),
          'function',
          'a callback ref gets the defined element',
        );
        const refCalls = () => page.locator('main > i').textContent();
        assert.equal(await refCalls(), '1', 'not at every render');
        await page.locator('#toggle').click();
        await page.locator('voice-assistant-chat').waitFor({ state: 'detached' });
        await page.locator('#toggle').click();
        await page.locator('output', { hasText: '2' }).waitFor();
        await eventually('the second conversation', () => opened.length === 2);
        assert.equal(await refCalls(), '3', 'null, and the new element');
        assert.deepEqual(opened, [{ page: 'Contact' }, { page: 'Contact' }]);
        await page.close();
      });
    },
  );
