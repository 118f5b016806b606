import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { findEngines } from '../support/browser/browsers.ts';
import { assistantThatShows, startDemo } from '../support/service/demo-process.ts';
import type { DemoProcess } from '../support/service/demo-process.ts';
import { embedTags } from '../support/chat/embed-tags.ts';
import { openDriver } from './driver.ts';
import type { Driver } from './driver.ts';
import { findPart, partTexts } from './find-part.ts';

const question = 'Do you deliver to Austria?';

describe('a site of another origin, with a strict content security policy,', () => {
  let demo: DemoProcess;
  let site: Server;
  let address: string;

  before(async () => {
    demo = await startDemo();
    const assistant = assistantThatShows('greeting', demo);
    site = createServer(({ url = '/' }, response) => {
      const tag = new Map(Object.entries(embedTags)).get(decodeURIComponent(url.slice(1)));
      response.writeHead(tag || url === '/' ? 200 : 404, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': `default-src 'none'; script-src ${demo.url}; connect-src ${demo.url}; img-src data:`,
      });
      response.end(`<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,">
        <h1>A site</h1>${tag?.(demo.url, assistant) ?? ''}</html>`);
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

      for (const tag of Object.keys(embedTags)) {
        it(`gets answers through ${tag}`, async () => {
          // Clears storage on a page without a chat, since a chat might write to it again.
          await driver.open(address);
          await driver.evaluate(() => {
            localStorage.clear();
          });
          await driver.open(`${address}/${encodeURIComponent(tag)}`);
          await driver.waitFor(() => findPart('launcher') !== undefined);
          await driver.click(findPart, 'launcher');
          await driver.waitFor(() => partTexts('message-assistant').length === 1);
          await driver.click(findPart, 'composer-input');
          await driver.type(`${question}\n`);
          await driver.waitFor(() => partTexts('message-assistant')[1]?.includes('Austria'));
          assert.deepEqual(await driver.evaluate(partTexts, 'message-user'), [`You:\n${question}`]);
        });
      }

      it('has left no error in the console', () => {
        assert.deepEqual(driver.errors, []);
      });
    });
  }
});
