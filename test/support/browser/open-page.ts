import type { Page } from 'playwright';

/**
 * Opens a URL and waits until the page has loaded.
 *
 * Not `page.goto` alone: Firefox reports the commit of a navigation and the `load` event from different processes. If
 * `load` comes first, Playwright discards it and waits in vain.
 */
export async function openPage(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: 'commit' });
  await untilLoaded(page);
}

/** Reloads a page and waits until it has loaded. */
export async function reloadPage(page: Page): Promise<void> {
  await page.reload({ waitUntil: 'commit' });
  await untilLoaded(page);
}

async function untilLoaded(page: Page): Promise<void> {
  await page.evaluate(async () => {
    if (document.readyState !== 'complete')
      await new Promise((resolve) => {
        addEventListener('load', resolve);
      });
  });
}
