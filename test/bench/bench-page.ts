import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright';
import { installInstrument, type Instrument, type Sight } from './instrument.ts';

/** A page in a new browser context, with its measurements. */
export class BenchPage {
  readonly page: Page;
  readonly #session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#session = session;
  }

  /** @param slowdown factor by which the processor is slowed down */
  static async open(browser: Browser, url: string, slowdown: number): Promise<BenchPage> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.addInitScript(installInstrument);
    const session = await context.newCDPSession(page);
    // Processor time rather than elapsed time, so that other programs do not count.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    if (slowdown > 1) await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await page.goto(url);
    return new BenchPage(page, session);
  }

  /** Processor time of the main thread so far, in milliseconds. */
  async mainThread(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN) * 1000;
  }

  /** Waits until the page has painted a sight; returns the time by the page's clock, in milliseconds. */
  painted(sight: Sight, count = 1): Promise<number> {
    return this.page.evaluate(([sight, count]) => window.instrument.painted(sight, count), [
      sight,
      count,
    ] as const);
  }

  /** Milliseconds from a click or key press until a sight is painted. */
  async responseTime(act: () => Promise<void>, sight: Sight, count = 1): Promise<number> {
    const painted = this.painted(sight, count);
    await act();
    return (await painted) - (await this.recorded('actedAt'));
  }

  /** Waits until a sight is visible, without keeping the page busy. */
  async sees(sight: Sight, count = 1): Promise<void> {
    await this.page.waitForFunction(
      ([sight, count]) => window.instrument.sees(sight, count),
      [sight, count] as const,
      { polling: 250, timeout: 120_000 },
    );
  }

  /** Waits until the main thread is idle. */
  async waitUntilIdle(): Promise<void> {
    let before = -Infinity;
    for (;;) {
      await sleep(300);
      const now = await this.mainThread();
      if (now - before < 2) return;
      before = now;
    }
  }

  recorded<Name extends 'actedAt' | 'shift' | 'longTasks'>(name: Name): Promise<Instrument[Name]> {
    return this.page.evaluate((name) => window.instrument[name], name) as Promise<Instrument[Name]>;
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
