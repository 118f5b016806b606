import { chromium, firefox } from 'playwright';
import type { Engine } from '../support/browser/browsers.ts';
import { playwrightInput } from '../support/browser/user-input.ts';
import type { DriverPage } from './driver-page.ts';
import { openPage, reloadPage } from '../support/browser/open-page.ts';

/** Opens a page of Chromium or Firefox. */
export async function openPlaywrightPage(engine: Exclude<Engine, { name: 'webkit' }>): Promise<DriverPage> {
  const { name, ...launchOptions } = engine;
  const browser = await { chromium, firefox }[name].launch(launchOptions);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`.trim());
  });
  return {
    input: playwrightInput(page),
    errors,
    open: (url) => openPage(page, url),
    reload: () => reloadPage(page),
    run: (source, args) => page.evaluate(`(${source})(...${JSON.stringify(args)})`),
    async screenshot(path) {
      await page.screenshot({ path });
    },
    close: () => browser.close(),
  };
}
