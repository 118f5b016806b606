import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chromium } from 'playwright';
import type { Browser, Page } from 'playwright';
import { findEngines } from '../support/browser/browsers.ts';
import { repository } from '../support/repository.ts';
import { startDemo } from '../support/service/demo-process.ts';
import type { DemoProcess } from '../support/service/demo-process.ts';

const folder = join(repository, 'dist/docs');
const paths = globSync('**/*.html', { cwd: folder })
  .filter((file) => file !== '404.html')
  .map((file) => `/docs/${file.replace(/(index)?\.html$/, '')}`)
  .sort();
const axe = readFileSync(join(repository, 'node_modules/axe-core/axe.min.js'), 'utf8');

const [engine] = findEngines(['chromium']);

describe(
  'the documentation at /docs',
  { skip: engine?.name !== 'chromium' && 'Chromium is not installed' },
  () => {
    let demo: DemoProcess;
    let browser: Browser;
    /** Everything that should not happen: console errors, violations of the policy, requests elsewhere. */
    const troubles: string[] = [];
    before(async () => {
      if (engine?.name !== 'chromium') throw new Error('Chromium is missing.');
      demo = await startDemo();
      browser = await chromium.launch({ executablePath: engine.executablePath, args: engine.args });
    });
    after(async () => {
      await browser.close();
      await demo.stop();
    });

    async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
      const page = await browser.newPage(options);
      page.on('console', (message) => {
        if (message.type() === 'error') troubles.push(`${path}: ${message.text()}`);
      });
      page.on('pageerror', (error) => troubles.push(`${path}: ${error.message}`));
      page.on('request', (request) => {
        const isOwn = request.url().startsWith(`${demo.url}/`) || request.url().startsWith('data:');
        if (!isOwn) troubles.push(`${path}: requested ${request.url()}`);
      });
      await page.goto(demo.url + path);
      return page;
    }

    /** The rules of WCAG 2.2, levels A and AA, that the page violates. */
    async function violations(page: Page): Promise<string[]> {
      // Not a script tag, which the page's policy refuses.
      await page.evaluate(axe);
      return page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: {
            run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
          };
        };
        const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
        const { violations } = await axe.run({
          runOnly: { type: 'tag', values: tags },
          // The shortcut in the search button is hidden from assistive technology, which this rule does not consider.
          rules: { 'label-content-name-mismatch': { enabled: false } },
        });
        return violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`,
        );
      });
    }

    it('shows every page under its own policy, without errors and requests to others', async () => {
      assert.ok(paths.length > 40);
      const page = await open('/docs/');
      for (const path of paths) {
        await page.goto(demo.url + path);
        assert.ok((await page.locator('h1').textContent())?.trim());
      }
      await page.close();
      assert.deepEqual(troubles.splice(0), []);
    });

    for (const colorScheme of ['light', 'dark'] as const) {
      it(`violates no rule of WCAG 2.2 AA in ${colorScheme}, wide and narrow`, async () => {
        for (const width of [1280, 320]) {
          const page = await open('/docs/element', { colorScheme, viewport: { width, height: 800 } });
          for (const path of ['/docs/element', '/docs/', '/docs/errors', '/docs/embed/html']) {
            await page.goto(demo.url + path);
            // Controls get their names when the page's scripts have run.
            await page.locator('.VPSwitchAppearance:not([title=""])').first().waitFor({ state: 'attached' });
            assert.deepEqual(await violations(page), [], `${path} at ${width} pixels`);
          }
          await page.close();
        }
        assert.deepEqual(troubles.splice(0), []);
      });
    }

    it('finds a setting by search, with the keyboard alone', async () => {
      const page = await open('/docs/');
      await page.getByRole('button', { name: 'Search' }).waitFor();
      await page.locator('html').press('/');
      await page.getByRole('searchbox').or(page.getByRole('combobox')).fill('TRUST_PROXY');
      await page.getByRole('option', { name: 'Settings' }).first().waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/docs\/\w+/);
      await page.getByText('TRUST_PROXY').first().waitFor();
      await page.close();
      assert.deepEqual(troubles.splice(0), []);
    });

    it('lets people try an operation with an API key', async () => {
      const page = await open('/docs/http-reference');
      await page.getByPlaceholder('api-token').fill(demo.apiKey);
      await page.getByRole('button', { name: /^set$/i }).click();
      await page.getByText('/api/user/me', { exact: true }).click();
      await page.getByRole('button', { name: /^try$/i }).last().click();
      await page.getByText('total_balance').last().waitFor();
      await page.getByText('Response Status: OK:200').waitFor();
      await page.close();
      assert.deepEqual(troubles.splice(0), []);
    });
  },
);
