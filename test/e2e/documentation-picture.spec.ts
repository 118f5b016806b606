import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { chromium } from 'playwright';
import { findEngines } from '../support/browser/browsers.ts';
import { repository } from '../support/repository.ts';
import { startDemo } from '../support/service/demo-process.ts';
import { openPicturedChat, pictureSize, readControls } from './shop-picture.ts';

const engine = findEngines(['chromium']).find(({ name }) => name === 'chromium');

it(
  'the picture of the README shows the controls of the chat; if not, "npm run pictures" makes it again',
  { skip: engine ? false : 'needs Chromium' },
  async (t) => {
    assert.ok(engine?.name === 'chromium');
    const demo = await startDemo({ VOICE: 'on' });
    t.after(() => demo.stop());
    const browser = await chromium.launch({ executablePath: engine.executablePath, args: engine.args });
    t.after(() => browser.close());
    const page = await browser.newPage({ viewport: pictureSize, colorScheme: 'light' });
    await openPicturedChat(page, demo.url);
    const pictured = await readFile(join(repository, 'test/e2e/pictures/shop.json'), 'utf8');
    assert.deepEqual(await readControls(page), JSON.parse(pictured));
  },
);
