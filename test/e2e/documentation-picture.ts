import { join } from 'node:path';
import { chromium } from 'playwright';
import { findEngines } from '../support/browser/browsers.ts';
import { repository } from '../support/repository.ts';
import { startDemo } from '../support/service/demo-process.ts';

/* `npm run pictures` also makes the picture of the README: the demo's shop with an answered question. */

const [engine] = findEngines(['chromium']);
if (engine?.name !== 'chromium') throw new Error('Chromium is missing.');
const demo = await startDemo();
const browser = await chromium.launch({ executablePath: engine.executablePath, args: engine.args });
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 760 }, colorScheme: 'light' });
  await page.goto(`${demo.url}/`);
  await page.locator('[part~="launcher"]').click();
  await page.getByRole('textbox').fill('When are you open on Saturdays?');
  await page.keyboard.press('Enter');
  await page.locator('[part~="message-assistant"]').nth(1).waitFor();
  await page.locator('[part~="typing"]').waitFor({ state: 'detached' });
  await page.getByText('Sending…').waitFor({ state: 'detached' });
  await page.screenshot({ path: join(repository, 'docs/public/chat.png') });
} finally {
  await browser.close();
  await demo.stop();
}
