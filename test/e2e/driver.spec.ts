import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findEngines } from '../support/browser/browsers.ts';
import { openDriver } from './driver.ts';
import type { Driver } from './driver.ts';

const page = `<!doctype html><html lang="en"><title>Page</title><body><p id="host"></p><script src="/page.js"></script></body></html>`;
const script = `
  const root = document.querySelector('#host').attachShadow({ mode: 'open' });
  root.innerHTML = '<input aria-label="Name"><button>Greet</button><output></output>';
  root.querySelector('button').addEventListener('click', (event) => {
    root.querySelector('output').textContent = 'Hello, ' + root.querySelector('input').value + (event.isTrusted ? '' : '?');
    localStorage.setItem('greeted', 'yes');
  });`;

for (const engine of findEngines()) {
  describe(`the driver of ${engine.name}`, () => {
    let server: Server;
    let driver: Driver;
    let url: string;

    before(async () => {
      server = createServer(({ url: path }, response) => {
        // A strict policy, since the driver must work on any site.
        response.setHeader('Content-Security-Policy', "default-src 'self'");
        response.setHeader('Content-Type', path === '/page.js' ? 'text/javascript' : 'text/html');
        response.end(path === '/page.js' ? script : page);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
      driver = await openDriver(engine);
    });

    after(async () => {
      await driver.close();
      server.close();
    });

    const inHost = (selector: string) => document.querySelector('#host')?.shadowRoot?.querySelector(selector);

    it('clicks and types inside a shadow root, under a strict content security policy', async () => {
      await driver.open(url);
      await driver.click(inHost, 'input');
      await driver.type('Zoë van der Zee');
      await driver.press('Tab');
      await driver.press('Enter');
      const greeting = await driver.waitFor(
        () => document.querySelector('#host')?.shadowRoot?.querySelector('output')?.textContent,
      );
      assert.equal(greeting, 'Hello, Zoë van der Zee');
    });

    it('keeps storage across a reload', async () => {
      await driver.reload();
      assert.equal(await driver.evaluate((key) => localStorage.getItem(key), 'greeted'), 'yes');
    });

    it('awaits a function that runs in the page, and rethrows its errors', async () => {
      assert.equal(await driver.evaluate((a, b) => Promise.resolve(a + b), 1, 2), 3);
      await assert.rejects(
        driver.evaluate(() => Promise.reject(new Error('out of tea'))),
        /out of tea/,
      );
    });

    it('resizes the viewport and takes a screenshot of it', async () => {
      await driver.setViewport(700, 500);
      const folder = await mkdtemp(join(tmpdir(), 'driver-'));
      await driver.screenshot(join(folder, 'page.png'));
      const png = await readFile(join(folder, 'page.png'));
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [700, 500]);
      await rm(folder, { recursive: true });
    });
  });
}
