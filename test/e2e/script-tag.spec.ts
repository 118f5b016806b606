import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { findEngines } from '../support/browser/browsers.ts';
import { assistantThatShows, startDemo } from '../support/service/demo-process.ts';
import type { DemoProcess } from '../support/service/demo-process.ts';
import { repository } from '../support/repository.ts';
import { openDriver } from './driver.ts';
import type { Driver } from './driver.ts';
import { findPart, partTexts } from './find-part.ts';

const queue = (text: string) =>
  `<script>(window.voiceAssistantChat ||= []).push((chat) => { chat.heading = (chat.heading ?? '') + '${text}'; });</script>`;

const dist = join(repository, 'dist');
const { version, jsdelivr } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  version: string;
  jsdelivr: string;
};
const embedScript = () => readFileSync(join(dist, 'embed.js'), 'utf8');

/** Snippets, by what is unusual about them: HTML for a service and an assistant. */
const snippets: Record<string, (url: string, assistant: string) => string> = {
  'parameters instead of attributes, injected by a tag manager': (url, assistant) =>
    `<script>{
      const script = document.createElement('script');
      script.src = '${url}/embed.js?assistant-id=${assistant}&heading=Kim&ver=6.5';
      document.head.append(script);
    }</script>`,
  'type="module"': (url, assistant) =>
    `<script type="module" src="${url}/embed.js" data-assistant-id="${assistant}" data-heading="Kim"></script>`,
  'a second copy': (url, assistant) =>
    `<script src="${url}/embed.js" data-assistant-id="${assistant}" async></script>
     <script src="${url}/embed.js" data-assistant-id="${assistant}" data-heading="Kim"></script>`,
  'the attribute names of another vendor': (url, assistant) =>
    `<script src="${url}/embed.js" data-assistant-id="${assistant}" data-header-title="Kim" async></script>`,
  'the short snippet': (url, assistant) =>
    `<script src="${url}/embed/${assistant}.js" data-heading="Kim" async></script>`,
  'the short snippet as a module': (url, assistant) =>
    `<script type="module" src="${url}/embed/${assistant}.js" data-heading="Kim"></script>`,
  'the short URL of a CDN': (url, assistant) =>
    `<script src="/npm/voice-assistant-chat@${version}" data-base-url="${url}" data-assistant-id="${assistant}" data-heading="Kim" async></script>`,
  'the short URL of a CDN without a version, with parameters': (url, assistant) =>
    `<script src="/npm/voice-assistant-chat?base-url=${encodeURIComponent(url)}&assistant-id=${assistant}&heading=Kim"></script>`,
  'the full address of its file at a CDN': (url, assistant) =>
    `<script src="/npm/voice-assistant-chat@${version}/dist/cdn.js" data-base-url="${url}" data-assistant-id="${assistant}" data-heading="Kim"></script>`,
  'files of another origin': (url, assistant) =>
    `<script src="/files/embed.js" data-base-url="${url}" data-assistant-id="${assistant}" data-heading="Kim"></script>`,
  'files of another origin as a module': (url, assistant) =>
    `<script type="module" src="/files/voice-assistant-chat.js"></script>
     <voice-assistant-chat base-url="${url}" assistant-id="${assistant}" heading="Kim"></voice-assistant-chat>`,
  'a service below a path': (_, assistant) =>
    `<script src="/below/a/path/embed.js" data-assistant-id="${assistant}" data-heading="Kim"></script>`,
  'a module of a service below a path': (_, assistant) =>
    `<script type="module" src="/below/a/path/voice-assistant-chat.js"></script>
     <voice-assistant-chat assistant-id="${assistant}" heading="Kim"></voice-assistant-chat>`,
  'its text in the page, where an optimizer has put it': (url, assistant) =>
    `<script data-base-url="${url}" data-assistant-id="${assistant}" data-heading="Kim">${embedScript()}</script>`,
  'its text in a file with other scripts, and its own tag disabled': (url, assistant) =>
    `<script type="text/plain" data-src="${url}/embed.js" data-base-url="${url}" data-assistant-id="${assistant}" data-heading="Kim"></script>
     <script src="/merged.js" async></script>`,
  'a framework that renders the whole document again, as React 18 after failed hydration': (url, assistant) =>
    `<script>
       const observer = new MutationObserver(() => {
         const rendered = document.documentElement.cloneNode(true);
         if (!rendered.querySelector('voice-assistant-chat')) return;
         observer.disconnect();
         rendered.querySelector('voice-assistant-chat').remove();
         document.documentElement.remove();
         document.append(rendered);
       });
       observer.observe(document, { childList: true, subtree: true });
     </script>
     <script src="${url}/embed.js" data-assistant-id="${assistant}" data-heading="Kim" async></script>`,
  'calls queued before': (url, assistant) =>
    `${queue('K')}${queue('i')}${queue('m')}<script src="${url}/embed.js" data-assistant-id="${assistant}" async></script>`,
  'calls pushed after': (url, assistant) =>
    `<script src="${url}/embed.js" data-assistant-id="${assistant}"></script>${queue('K')}${queue('i')}${queue('m')}`,
  'calls pushed after, all at once, of which the first fails': (url, assistant) =>
    `<script src="${url}/embed.js" data-assistant-id="${assistant}"></script>
     <script>
       addEventListener('error', (event) => event.preventDefault());
       const fail = () => { throw new Error('Not ours'); };
       window.voiceAssistantChat.push(fail, (chat) => (chat.heading = 'Kim'));
     </script>`,
  'a hundred queued calls, and one more, which is dropped': (url, assistant) =>
    `${queue('K')}${queue('i')}${queue('m')}
     <script>for (let call = 0; call < 97; call++) window.voiceAssistantChat.push(() => undefined);</script>
     ${queue(' is too much')}<script src="${url}/embed.js" data-assistant-id="${assistant}" async></script>`,
  'the path of a version, with the integrity of its file': (url, assistant) =>
    `<script>fetch('${url}/integrity.json').then((response) => response.json()).then(({ version, files }) => {
      const script = document.createElement('script');
      Object.assign(script, { src: '${url}/v/' + version + '/embed.js', integrity: files['embed.js'], crossOrigin: '' });
      Object.assign(script.dataset, { assistantId: '${assistant}', heading: 'Kim' });
      document.head.append(script);
    });</script>`,
  'an import map': (url, assistant) =>
    `<script type="importmap">{"imports": {"voice-assistant-chat": "${url}/voice-assistant-chat.js"}}</script>
     <script type="module">import 'voice-assistant-chat';</script>
     <voice-assistant-chat assistant-id="${assistant}" heading="Kim"></voice-assistant-chat>`,
};

/** Snippets that do not name the service. */
const namelessSnippets: Record<string, (url: string, assistant: string) => string> = {
  'its text in the page': (_, assistant) =>
    `<script data-assistant-id="${assistant}" data-heading="Kim">${embedScript()}</script>`,
  'its text in the page in place of the short snippet': () => `<script>${embedScript()}</script>`,
  'its text in a file with other scripts': (url, assistant) =>
    `<script type="text/plain" data-src="${url}/embed.js" data-assistant-id="${assistant}" data-inline></script>
     <script src="/merged.js"></script>`,
};

/** Pages with `data-inline`, by the place of the script. */
const inlinePages: Record<string, (script: string) => string> = {
  'in a box': (script) => `<div id="box" style="height: 30rem">${script}</div><p>After</p>`,
  'twice in a box': (script) => `<div id="box" style="height: 30rem">${script}${script}</div><p>After</p>`,
  'in the head': (script) =>
    `<script>document.head.append(document.createRange().createContextualFragment('${script.replace('</', '<\\/')}'));</script>`,
};
const twoWithoutAssistant = (url: string) =>
  `<script src="${url}/embed.js"></script><script>window.first = window.voiceAssistantChat;</script>
   <script src="${url}/embed.js"></script>`;
/** A snippet, which defines the element, and the module with an element for another assistant. */
const bothScripts = (url: string, assistant: string, other: string) =>
  `<script src="${url}/embed.js" data-assistant-id="${assistant}"></script>
   <script type="module" src="${url}/voice-assistant-chat.js"></script>
   <voice-assistant-chat inline style="height: 30rem" assistant-id="${other}"></voice-assistant-chat>`;
const recordWarnings = '<script>console.warn = (text) => (window.warnings ??= []).push(text);</script>';

describe('a page of another origin with the script and', () => {
  let demo: DemoProcess;
  let site: Server;
  let address: string;
  /** Paths that browsers have requested from the site. */
  const requested: string[] = [];

  before(async () => {
    demo = await startDemo();
    const assistant = assistantThatShows('greeting', demo);
    const other = assistantThatShows('settings', demo);
    site = createServer((request, response) => {
      const { url = '/', method, headers } = request;
      requested.push(url);
      const [, folder, rest = ''] = /^\/(files|below\/a\/path)(\/.*)/.exec(url) ?? [];
      const [, inPackage] = /^\/npm\/voice-assistant-chat(?:@[\d.]+)?(\/[^?]*)?(?:\?.*)?$/.exec(url) ?? [];
      if (url === '/merged.js' || folder === 'files') {
        response.setHeader('Content-Type', 'text/javascript; charset=utf-8');
        // Firefox interrupts a module when the page is left, and the widget requests it again with a query.
        const file = rest.replace(/\?.*/, '');
        response.end(folder ? readFileSync(join(dist, file)) : `window.other = 1;\n${embedScript()}`);
      } else if (url.startsWith('/npm/')) {
        response.setHeader('Content-Type', 'text/javascript; charset=utf-8');
        response.end(readFileSync(join(repository, inPackage ?? jsdelivr)));
      } else if (folder !== undefined) {
        // A proxy that passes on what is below a path.
        const passedOn = send(new URL(rest, demo.url), { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        passedOn.on('error', () => response.destroy());
        response.on('close', () => passedOn.destroy());
        request.pipe(passedOn);
      } else {
        const name = decodeURIComponent(url.slice(1));
        const inline = `<script src="${demo.url}/embed.js" data-assistant-id="${assistant}" data-inline async></script>`;
        const inlinePage = () => inlinePages[name]?.(inline) ?? '';
        const pages: typeof snippets = {
          'two without an assistant': twoWithoutAssistant,
          'both scripts': (url, assistant) => bothScripts(url, assistant, other),
        };
        const snippet = pages[name] ?? snippets[name];
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(`<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,">
          <h1>A site</h1>${recordWarnings}${(snippet ?? namelessSnippets[name] ?? inlinePage)(demo.url, assistant)}</html>`);
      }
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

      for (const name of Object.keys(snippets)) {
        it(`${name} has one chat that works`, async () => {
          await driver.open(address);
          await driver.evaluate(() => {
            localStorage.clear();
          });
          await driver.open(`${address}/${encodeURIComponent(name)}`);
          await driver.waitFor(() => document.querySelector('voice-assistant-chat')?.heading === 'Kim');
          const count = await driver.evaluate(() => document.querySelectorAll('voice-assistant-chat').length);
          assert.equal(count, 1);
          await driver.waitFor(() => findPart('launcher') !== undefined);
          await driver.click(findPart, 'launcher');
          await driver.waitFor(() => partTexts('message-assistant').length === 1);
        });
      }

      for (const name of Object.keys(namelessSnippets))
        it(`${name} has one line in the console, no chat, and sends no request`, async () => {
          // Ends the requests of the page before.
          await driver.open('about:blank');
          requested.length = 0;
          const path = `/${encodeURIComponent(name)}`;
          await driver.open(address + path);
          const found = await driver.evaluate(() => [
            (window as { warnings?: string[] }).warnings,
            document.querySelectorAll('voice-assistant-chat').length,
          ]);
          assert.deepEqual(found, [['<voice-assistant-chat> data-base-url is missing.'], 0]);
          assert.deepEqual(
            requested.filter((url) => url !== '/merged.js'),
            [path],
          );
        });

      for (const name of ['in a box', 'twice in a box'])
        it(`data-inline ${name} shows the chat there`, async () => {
          await driver.open(`${address}/${encodeURIComponent(name)}`);
          await driver.waitFor(() => findPart('composer-input') !== undefined);
          // The page finds the script twice.
          if (name !== 'in a box')
            await driver.waitFor(() => (window as { warnings?: string[] }).warnings !== undefined);
          const found = await driver.evaluate(() => {
            const chats = [...document.querySelectorAll('voice-assistant-chat')];
            return chats.map((chat) => [chat.parentElement?.id, chat.offsetHeight]);
          });
          assert.deepEqual(found, [['box', 480]]);
        });

      it('a second copy is named in the console, in one line', async () => {
        await driver.open(`${address}/${encodeURIComponent('a second copy')}`);
        await driver.waitFor(() => (window as { warnings?: string[] }).warnings !== undefined);
        const warnings = await driver.evaluate(() => (window as { warnings?: string[] }).warnings ?? []);
        assert.equal(warnings.length, 1);
        assert.match(warnings[0] ?? '', /has the script of the assistant [\da-f-]{36} twice\. Remove one\./);
      });

      it('two snippets without an assistant are not called copies of one', async () => {
        await driver.open(`${address}/${encodeURIComponent('two without an assistant')}`);
        await driver.waitFor(() => {
          const { first, warnings, voiceAssistantChat } = window as {
            first?: unknown;
            warnings?: string[];
            voiceAssistantChat?: unknown;
          };
          return voiceAssistantChat !== first && warnings !== undefined;
        });
        const warnings = await driver.evaluate(() => (window as { warnings?: string[] }).warnings);
        assert.deepEqual(warnings, ['<voice-assistant-chat> assistant-id is missing.']);
      });

      it('an element without base-url uses the service of the scripts, also if embed.js has defined it', async () => {
        requested.length = 0;
        await driver.open(`${address}/both%20scripts`);
        await driver.waitFor(() => findPart('composer-input') !== undefined);
        await driver.waitFor(() => document.querySelectorAll('voice-assistant-chat').length === 2);
        await driver.waitFor(() => partTexts('message-assistant').length > 0);
        assert.deepEqual(
          requested.filter((url) => url.includes('/api/')),
          [],
        );
      });

      it('data-inline outside of the body floats, and says in the console why', async () => {
        await driver.open(`${address}/${encodeURIComponent('in the head')}`);
        await driver.waitFor(() => findPart('launcher')?.checkVisibility());
        const warnings = await driver.evaluate(() => (window as { warnings?: string[] }).warnings ?? []);
        assert.equal(warnings.length, 1);
        assert.match(warnings[0] ?? '', /data-inline.*in the body/);
      });

      it('loads the panel of a version from the folder of the version', async () => {
        await driver.open(
          `${address}/${encodeURIComponent('the path of a version, with the integrity of its file')}`,
        );
        await driver.waitFor(() => findPart('launcher') !== undefined);
        await driver.click(findPart, 'launcher');
        await driver.waitFor(() => findPart('composer-input') !== undefined);
        const folders = await driver.evaluate(() =>
          performance
            .getEntriesByType('resource')
            .filter((entry) => entry.name.includes('/chunks/'))
            .map((entry) => new URL(entry.name).pathname.replace(/chunks\/.*/, '')),
        );
        assert.match([...new Set(folders)].join(), /^\/v\/\d+\.\d+\.\d+[^,]*\/$/);
      });

      it('has left no error in the console', () => {
        assert.deepEqual(driver.errors, []);
      });
    });
  }
});
