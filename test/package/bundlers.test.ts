import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { rspack } from '@rspack/core';
import * as esbuild from 'esbuild';
import { chromium, firefox, type Browser, type Page } from 'playwright';
import { build as vite } from 'vite';
import webpack from 'webpack';
import { findEngines } from '../support/browser/browsers.ts';
import { assistantThatShows, startDemo, type DemoProcess } from '../support/service/demo-process.ts';
import { siteWithPackage, type Site } from './installed-package.ts';

/** Bundle `main.js` of a site into its folder `out`; the first script is `out/main.js`. */
const bundlers: Record<string, (site: Site) => Promise<unknown>> = {
  'esbuild as a module': ({ folder }) =>
    esbuild.build({
      entryPoints: [join(folder, 'main.js')],
      outdir: join(folder, 'out'),
      bundle: true,
      splitting: true,
      format: 'esm',
      minify: true,
      logLevel: 'silent',
    }),
  'esbuild as a classic script': ({ folder }) =>
    esbuild.build({
      entryPoints: [join(folder, 'main.js')],
      outdir: join(folder, 'out'),
      bundle: true,
      format: 'iife',
      minify: true,
      logLevel: 'silent',
    }),
  'Vite and Rolldown as a module': (site) => viteBuild(site, 'es'),
  'Vite and Rolldown as a classic script': (site) => viteBuild(site, 'iife'),
  webpack: (site) => webpackBuild(webpack, site),
  Rspack: (site) => webpackBuild(rspack, site),
};

/** @param bundle webpack, or Rspack, which has its interface */
function webpackBuild(
  bundle: (
    options: {
      mode: 'production';
      entry: string;
      output: { path: string; filename: string; publicPath: string };
    },
    done: (
      error: Error | null,
      stats?: { hasErrors(): boolean; hasWarnings(): boolean; toString(options: 'errors-warnings'): string },
    ) => void,
  ) => unknown,
  { folder }: Site,
): Promise<void> {
  return new Promise<void>((done, fail) => {
    bundle(
      {
        mode: 'production',
        entry: join(folder, 'main.js'),
        output: { path: join(folder, 'out'), filename: 'main.js', publicPath: '/' },
      },
      (error, stats) => {
        if (error) fail(error);
        else if (stats?.hasErrors() || stats?.hasWarnings())
          fail(new Error(stats.toString('errors-warnings')));
        else done();
      },
    );
  });
}

function viteBuild({ folder }: Site, format: 'es' | 'iife'): Promise<unknown> {
  return vite({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    build: {
      outDir: 'out',
      rolldownOptions: {
        input: join(folder, 'main.js'),
        output: { entryFileNames: '[name].js', format, ...(format === 'iife' && { codeSplitting: false }) },
      },
    },
  });
}

const executable = findEngines(['chromium']).find((engine) => engine.name === 'chromium');
const firefoxExecutable = findEngines(['firefox']).find((engine) => engine.name === 'firefox');

describe('a bundle of the package', { skip: executable ? false : 'needs Chromium' }, () => {
  let demo: DemoProcess;
  let browser: Browser;
  before(async () => {
    assert.ok(executable);
    demo = await startDemo();
    browser = await chromium.launch({ executablePath: executable.executablePath, args: executable.args });
  });
  after(async () => {
    await browser.close();
    await demo.stop();
  });

  for (const [bundler, bundle] of Object.entries(bundlers)) {
    describe(`by ${bundler}`, () => {
      const site = siteWithPackage();
      const out = join(site.folder, 'out');
      /** How many further requests for the module that sends messages fail. */
      let failures = 0;
      const server = createServer(({ url = '/' }, response) => {
        const path = url.replace(/\?.*/, '');
        const file = join(out, path);
        const isScript = path.endsWith('.js') && existsSync(file);
        if (path.includes('chat-messaging') && failures > 0) {
          failures--;
          response.writeHead(503).end();
          return;
        }
        response.setHeader('Content-Type', `text/${isScript ? 'javascript' : 'html'}; charset=utf-8`);
        response.end(
          isScript
            ? readFileSync(file)
            : `<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,"><h1>A site</h1>
              <script ${bundler.endsWith('classic script') ? 'defer' : 'type="module"'} src="/main.js"></script></html>`,
        );
      });
      let address: string;
      before(async () => {
        site.write(
          'main.js',
          `import 'voice-assistant-chat';
           const chat = document.createElement('voice-assistant-chat');
           for (const [name, value] of new URLSearchParams(location.search)) chat.setAttribute(name, value);
           document.body.append(chat);
           document.title = 'The page goes on';`,
        );
        await bundle(site);
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      });
      after(() => {
        server.close();
        site.remove();
      });

      /** Opens the page and records its console and its requests. */
      async function open(attributes: Record<string, string>, by = browser) {
        const page = await by.newPage();
        const lines: string[] = [];
        const requests: string[] = [];
        page.on('console', (message) => lines.push(message.text()));
        page.on('pageerror', ({ message }) => lines.push(message));
        page.on('request', (request) => requests.push(request.url()));
        await page.goto(`${address}/?${new URLSearchParams(attributes)}`);
        assert.equal(await page.title(), 'The page goes on');
        return { page, lines, requests };
      }

      it('answers', async () => {
        const { page, lines } = await open({
          'base-url': demo.url,
          'assistant-id': assistantThatShows('greeting', demo),
        });
        await ask(page);
        assert.deepEqual(lines, []);
        await page.close();
      });

      // The others have one file, or load their files as scripts.
      if (/^(?:esbuild|Vite).*as a module$/.test(bundler)) {
        const attributes = () => ({
          'base-url': demo.url,
          'assistant-id': assistantThatShows('greeting', demo),
        });

        it('answers although the module that sends messages failed to load twice', async () => {
          failures = 2;
          const { page } = await open(attributes());
          await ask(page);
          assert.equal(failures, 0);
          await page.close();
        });

        it(
          'answers in Firefox, which repeats no import, although that module failed to load',
          { skip: firefoxExecutable ? false : 'needs Firefox' },
          async () => {
            const { executablePath, channel } = firefoxExecutable as NonNullable<typeof firefoxExecutable>;
            const other = await firefox.launch({ executablePath, ...(channel && { channel }) });
            try {
              failures = 1;
              const { page } = await open(attributes(), other);
              await ask(page);
              assert.equal(failures, 0);
            } finally {
              await other.close();
            }
          },
        );
      }

      it('asks for base-url in the panel and in one line of the console, and sends no request', async () => {
        const { page, lines, requests } = await open({
          'assistant-id': assistantThatShows('greeting', demo),
        });
        await page.locator('[part~=launcher]').click();
        await page.locator('[part~=problem]', { hasText: 'base-url is missing' }).waitFor();
        while (lines.length === 0) await page.waitForEvent('console');
        assert.deepEqual(lines, ['<voice-assistant-chat> base-url is missing.']);
        assert.deepEqual(
          requests.filter((url) => !url.startsWith(`${address}/`) || url.includes('/api/')),
          ['data:,'].filter((url) => requests.includes(url)),
        );
        await page.close();
      });

      it('contains no path of the machine that built it', () => {
        const scripts = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
          name.endsWith('.js'),
        );
        assert.notEqual(scripts.length, 0);
        for (const name of scripts) {
          const text = readFileSync(resolve(out, name), 'utf8');
          assert.ok(!text.includes(site.folder) && !text.includes('file://'), name);
        }
      });
    });
  }
});

async function ask(page: Page): Promise<void> {
  await page.locator('[part~=launcher]').click();
  await page.locator('[part~=composer-input]').fill('Do you deliver to Austria?');
  await page.locator('[part~=composer-input]').press('Enter');
  await page.locator('[part~=message-assistant]', { hasText: 'Austria' }).waitFor();
}
