import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { findEngines } from '../support/browser/browsers.ts';
import { repository } from '../support/repository.ts';
import { startDemo } from '../support/service/demo-process.ts';
import { openPicturedChat, pictureSize, readControls } from './shop-picture.ts';

/*
 * `npm run pictures` also makes the picture of the README, and lists its controls, so that a test notices when the picture
 * is out of date.
 */

const [engine] = findEngines(['chromium']);
if (engine?.name !== 'chromium') throw new Error('Chromium is missing.');
const demo = await startDemo({ VOICE: 'on' });
const browser = await chromium.launch({ executablePath: engine.executablePath, args: engine.args });
try {
  const page = await browser.newPage({ viewport: pictureSize, colorScheme: 'light' });
  await openPicturedChat(page, demo.url);
  await page.screenshot({ path: join(repository, 'docs/public/chat.png') });
  const controls = JSON.stringify(await readControls(page), undefined, 2);
  await writeFile(join(repository, 'test/e2e/pictures/shop.json'), `${controls}\n`);
} finally {
  await browser.close();
  await demo.stop();
}
