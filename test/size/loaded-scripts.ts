import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright';
import type { Page } from 'playwright';
import type { Engine } from '../support/browser/browsers.ts';
import { assistantThatShows } from '../support/service/demo-process.ts';
import type { DemoDescription } from '../support/service/demo-process.ts';
import { embedTags } from '../support/chat/embed-tags.ts';
import type { EmbedTag } from '../support/chat/embed-tags.ts';

export interface LoadedScripts {
  /** Paths of the scripts that a page with the chat loads until the launcher shows. */
  shell: string[];
  /** All scripts loaded until a visitor can type. */
  typing: string[];
  /** All scripts loaded until the first answer is rendered as Markdown. */
  markdownAnswer: string[];
}

/** Opens a page of another origin that embeds the chat, as a site does, and records the scripts that Chromium requests. */
export async function loadedScripts(
  tag: EmbedTag,
  { executablePath, args }: Extract<Engine, { name: 'chromium' }>,
  demo: DemoDescription,
): Promise<LoadedScripts> {
  const chat = embedTags[tag](demo.url, assistantThatShows('greeting', demo));
  const site = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,">
      <h1>A site</h1>${chat}</html>`);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage();
    // Replaces the engine's answer by one in Markdown.
    await page.route('**/messages', (route) =>
      route.fulfill({
        headers: { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' },
        json: { status: true, message: '**Yes**, we deliver.', function_calls: [] },
      }),
    );
    await page.addInitScript(() => {
      // The time of the first frame that shows a part of the chat.
      const mark = (name: string, selector: string): void => {
        const look = (): void => {
          const part = document.querySelector('voice-assistant-chat')?.shadowRoot?.querySelector(selector);
          if (part?.checkVisibility({ visibilityProperty: true })) performance.mark(name);
          else requestAnimationFrame(look);
        };
        look();
      };
      mark('launcher', 'button');
      mark('can-type', 'textarea');
      mark('answer', '.assistant[data-status=done] .markdown');
    });
    await page.goto(`http://127.0.0.1:${String((site.address() as AddressInfo).port)}/`);
    const launcher = page.locator('[part~=launcher]');
    await launcher.waitFor();
    await page.waitForLoadState('networkidle');
    await launcher.click();
    const field = page.locator('[part~=composer-input]');
    await field.waitFor();
    // Once the visitor can type, the page is idle, and the chat loads the modules for the first message.
    await page.waitForLoadState('networkidle');
    const shell = await scriptsBefore(page, 'launcher');
    const typing = await scriptsBefore(page, 'can-type');

    // After an answer, the chat loads modules that the answer does not need. On a busy machine, it may begin before the
    // answer is painted.
    await page.evaluate(() => {
      globalThis.requestIdleCallback = () => 0;
    });
    await field.fill('Do you deliver?');
    await field.press('Enter');
    await page.locator('.assistant[data-status=done] .markdown').waitFor();
    const markdownAnswer = await scriptsBefore(page, 'answer');
    return { shell, typing, markdownAnswer };
  } finally {
    await browser.close();
    site.close();
  }
}

/** Waits for a mark; returns the paths of the scripts requested before it. */
async function scriptsBefore(page: Page, name: string): Promise<string[]> {
  await page.waitForFunction((name) => performance.getEntriesByName(name).length > 0, name);
  const scripts = await page.evaluate((name) => {
    const mark = performance.getEntriesByName(name)[0]?.startTime ?? 0;
    const paths = performance
      .getEntriesByType('resource')
      .filter((entry) => entry.startTime < mark && new URL(entry.name).pathname.endsWith('.js'))
      .map((entry) => new URL(entry.name).pathname);
    // A downloaded file is listed again when it runs.
    return [...new Set(paths)];
  }, name);
  // No script would stay within every budget.
  if (scripts.length === 0) throw new Error(`The page has loaded no script before the mark "${name}".`);
  return scripts;
}
