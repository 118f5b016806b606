import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright';
import { installInstrument, type Instrument, type Sight } from './instrument.ts';

/** A page in a browser that has seen nothing yet, with what there is to measure. */
export class BenchPage {
  readonly page: Page;
  readonly #session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#session = session;
  }

  /** @param slowdown how many times slower than it is the processor seems to be */
  static async open(browser: Browser, url: string, slowdown: number): Promise<BenchPage> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.addInitScript(installInstrument);
    const session = await context.newCDPSession(page);
    // Time on the processor, not on the clock: other programs may have it meanwhile.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    if (slowdown > 1) await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await page.goto(url);
    return new BenchPage(page, session);
  }

  /** Milliseconds that the main thread has worked so far. */
  async mainThread(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN) * 1000;
  }

  /** When the page has painted that, by its own clock, in milliseconds. */
  painted(what: Sight, count = 1): Promise<number> {
    return this.page.evaluate(([what, count]) => window.instrument.painted(what, count), [
      what,
      count,
    ] as const);
  }

  /** Milliseconds from a click or key press to that being painted. */
  async responseTime(act: () => Promise<void>, what: Sight, count = 1): Promise<number> {
    const painted = this.painted(what, count);
    await act();
    return (await painted) - (await this.noted('actedAt'));
  }

  /** Waits for something without keeping the page busy. */
  async sees(what: Sight, count = 1): Promise<void> {
    await this.page.waitForFunction(
      ([what, count]) => window.instrument.sees(what, count),
      [what, count] as const,
      { polling: 250, timeout: 120_000 },
    );
  }

  /** Waits until the main thread has nothing more to do. */
  async quiet(): Promise<void> {
    let before = -Infinity;
    for (;;) {
      await sleep(300);
      const now = await this.mainThread();
      if (now - before < 2) return;
      before = now;
    }
  }

  noted<Name extends 'actedAt' | 'shift' | 'longTasks'>(name: Name): Promise<Instrument[Name]> {
    return this.page.evaluate((name) => window.instrument[name], name) as Promise<Instrument[Name]>;
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
