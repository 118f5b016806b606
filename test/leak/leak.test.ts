import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright';
import { findEngines } from '../support/browser/browsers.ts';
import { assistantId, startWidgetSite, type WidgetSite } from '../support/servers/widget-site.ts';
import { mountAndRemove } from './mounts.ts';
import { watchPage } from './watch-page.ts';

const engine = findEngines(['chromium']).find(({ name }) => name === 'chromium');

/** Maximum heap growth in bytes for each chat mounted and removed. */
const budget = 0.2 * 1024;
const batches = 5;
const mountsPerBatch = 40;

/** Disables optimization and flushing of code, whose effect on the heap would hide leaks. */
const steadyCode =
  '--js-flags=--no-opt --no-maglev --no-sparkplug --no-lazy-feedback-allocation --no-flush-bytecode';

interface Level {
  readonly heap: number;
  readonly nodes: number;
  readonly listeners: number;
}

describe(
  '200 chats that were put into a page and removed',
  {
    skip: engine ? false : 'needs Chromium',
  },
  () => {
    let site: WidgetSite;
    let browser: Browser;
    let page: Page;
    const levels: Level[] = [];
    let running: string[] = [];

    before(async () => {
      assert.ok(engine?.name === 'chromium');
      const { executablePath, args } = engine;
      site = await startWidgetSite();
      browser = await chromium.launch({ executablePath, args: [...args, steadyCode] });
      page = await browser.newPage();
      await page.addInitScript(watchPage);
      await page.goto(`${site.url}/element`);
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable');
      // The first batch is not measured, since it compiles shared code.
      for (let batch = 0; batch <= batches + 1; batch++) {
        await page.evaluate(mountAndRemove, { count: mountsPerBatch, assistantId });
        running = await waitForRest(page);
        if (batch > 0) levels.push(await measure(session));
      }
    });
    after(async () => {
      await browser.close();
      await site.stop();
    });

    it(`leave at most ${String(budget)} bytes each`, () => {
      const bytes = growth(levels.map(({ heap }) => heap));
      console.log(
        `  ${bytes.toFixed(0)} bytes each; heap ${levels.map(({ heap }) => String(heap)).join(', ')}\n`,
      );
      assert.ok(bytes <= budget, `${bytes.toFixed(0)} bytes each`);
    });

    it('leave no node', () => {
      const nodes = levels.map((level) => level.nodes);
      assert.ok(growth(nodes) < 0.05, nodes.join(', '));
    });

    it('leave no listener on anything', () => {
      const listeners = levels.map((level) => level.listeners);
      assert.ok(growth(listeners) < 0.05, listeners.join(', '));
    });

    it('leave no timer, frame, observer or channel running, and no listener on the page', () => {
      assert.deepEqual(running, []);
    });
  },
);

/** Waits up to five seconds for pending work to end; returns the work that is still running. */
async function waitForRest(page: Page): Promise<string[]> {
  const deadline = performance.now() + 5_000;
  for (;;) {
    const running = await page.evaluate(() => window.watch.running());
    if (running.length === 0 || performance.now() > deadline) return running;
    await sleep(50);
  }
}

async function measure(session: CDPSession): Promise<Level> {
  // Repeated, since objects released in one collection may have kept others alive.
  for (let round = 0; round < 4; round++) await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { metrics } = await session.send('Performance.getMetrics');
  const metric = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? NaN;
  return { heap: usedSize, nodes: metric('Nodes'), listeners: metric('JSEventListeners') };
}

/** Growth for each mount, by the median batch: a leak grows in every batch, one-time allocations only in one. */
function growth(values: readonly number[]): number {
  const steps = values.slice(1).map((value, index) => value - (values[index] ?? NaN));
  return (steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? NaN) / mountsPerBatch;
}
