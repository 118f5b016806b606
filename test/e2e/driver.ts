import { setTimeout as delay } from 'node:timers/promises';
import type { Engine, EngineName } from '../support/browser/browsers.ts';
import type { UserInput } from '../support/browser/user-input.ts';
import { openPlaywrightPage } from './driver-playwright.ts';
import { openWebDriverPage } from './driver-webdriver.ts';
import { clickPoint } from '../support/browser/click-point.ts';
import type { Json } from './driver-page.ts';
import { findPart, partTexts } from './find-part.ts';

/**
 * A function that runs in the page. It is sent as text, so it can only use its arguments, the page's globals, and the
 * functions `findPart` and `partTexts`.
 */
type InPage<Args extends Json[], Result> = (...args: Args) => Result | Promise<Result>;

/** Finds an element in the page, also in shadow roots. */
type Locate<Args extends Json[]> = (...args: Args) => Element | null | undefined;

/** A browser with one page, controlled by user input. Starts with empty storage. */
export interface Driver {
  readonly engine: EngineName;
  /** Loads an address and waits for the page's `load` event. */
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Runs a function in the page; returns its result, transferred as JSON. */
  evaluate<Args extends Json[], Result>(run: InPage<Args, Result>, ...args: Args): Promise<Result>;
  /** Waits until a function in the page returns a truthy value; returns that value. */
  waitFor<Args extends Json[], Result>(
    run: InPage<Args, Result>,
    ...args: Args
  ): Promise<NonNullable<Result>>;
  /** Clicks an element with the mouse once it has stopped moving and nothing covers it. */
  click<Args extends Json[]>(locate: Locate<Args>, ...args: Args): Promise<void>;
  /** Types into the focused element. */
  type(text: string): Promise<void>;
  /** Presses a key or a chord: `Enter`, `Shift+Tab`. */
  press(chord: string): Promise<void>;
  /** Resizes the viewport, in CSS pixels. WebKit's window cannot be narrower than about 450. */
  setViewport(width: number, height: number): Promise<void>;
  /** Sets media preferences. Chromium only. */
  prefer: UserInput['prefer'];
  /** Writes a PNG of the viewport. */
  screenshot(path: string): Promise<void>;
  /** Console errors and uncaught errors of the page. Always empty in WebKit. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** Milliseconds to wait for what a page shows: a busy machine is slow. */
const timeout = 60_000;

/** Starts a browser. */
export async function openDriver(engine: Engine): Promise<Driver> {
  const page = engine.name === 'webkit' ? await openWebDriverPage(engine) : await openPlaywrightPage(engine);
  const { input } = page;

  async function evaluate<Args extends Json[], Result>(run: InPage<Args, Result>, ...args: Args) {
    return (await page.run(withPrelude(String(run)), args)) as Result;
  }

  async function waitFor<Args extends Json[], Result>(run: InPage<Args, Result>, ...args: Args) {
    const deadline = Date.now() + timeout;
    for (;;) {
      const result = await evaluate(run, ...args);
      if (result) return result;
      if (Date.now() > deadline) {
        const text = await evaluate(() => partTexts('panel')[0] ?? document.body.innerText.slice(0, 1000));
        throw new Error(
          `Timed out in ${engine.name} waiting for ${String(run)}(${JSON.stringify(args)}).\nPage: ${text}`,
        );
      }
      await delay(50);
    }
  }

  return {
    engine: engine.name,
    errors: page.errors,
    open: (url) => page.open(url),
    reload: () => page.reload(),
    evaluate,
    waitFor,
    async click(locate, ...args) {
      const source = withPrelude(`(...args) => (${String(clickPoint)})((${String(locate)})(...args))`);
      const deadline = Date.now() + timeout;
      for (;;) {
        const point = (await page.run(source, args)) as Awaited<ReturnType<typeof clickPoint>>;
        if (typeof point !== 'string') return input.clickAt(point.x, point.y);
        if (Date.now() > deadline)
          throw new Error(`Cannot click ${String(locate)} in ${engine.name}: ${point}`);
        await delay(50);
      }
    },
    type: (text) => input.type(text),
    press: (chord) => input.press(chord.split('+')),
    async setViewport(width, height) {
      await input.resize(width, height);
      await waitFor((w, h) => innerWidth === w && innerHeight === h, width, height);
    },
    prefer: (media) => input.prefer(media),
    screenshot: (path) => page.screenshot(path),
    close: () => page.close(),
  };
}

const withPrelude = (source: string) =>
  `(...args) => { ${String(findPart)}\n${String(partTexts)}\nreturn (${source})(...args); }`;
