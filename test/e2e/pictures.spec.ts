import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findEngines } from '../support/browser/browsers.ts';
import { startWidgetSite } from '../support/servers/widget-site.ts';
import type { WidgetSite } from '../support/servers/widget-site.ts';
import { openDriver } from './driver.ts';
import type { Driver } from './driver.ts';
import { KeptPictures, makesPictures } from './kept-pictures.ts';
import { comparePictures, isStill, measureFonts, stage } from './picture-page.ts';
import type { Compared } from './picture-page.ts';
import { pictureViews, rowHeight, pictureHistories } from './picture-views.ts';
import type { PictureView } from './picture-views.ts';

/*
 * Compares pictures of an open chat with those in `pictures`, which `npm run pictures` replaces. All chats of an engine
 * are in frames of one page, so that a few screenshots are enough.
 */

/**
 * Maximum difference of a dot's color, from 0 to 255: more than other font smoothing or an edge shifted by one pixel
 * causes, and less than a missing word causes.
 */
const tolerance = 36;

/** Maximum number of dots beyond the tolerance. A missing line of text changes more than a hundred. */
const maxDots = 12;

/** Faults that the comparison must detect, each as a style sheet. */
const faults = {
  'a composer that covers the last answer': '[part~="composer"] { margin-block-start: -48px !important }',
  'an answer that is clipped at the side':
    '.markdown { max-width: 120px; overflow: hidden; white-space: nowrap }',
  'an answer that is clipped at the bottom':
    '[part~="message-assistant"] { max-height: 60px; overflow: hidden }',
  'text with low contrast': '[part~="message-assistant"] { color: #999 !important }',
  'a missing button': '[part~="send-button"] { visibility: hidden }',
};

describe('the chat looks as in the stored pictures', () => {
  let site: WidgetSite;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pictures-'));
    site = await startWidgetSite();
  });
  after(async () => {
    await site.stop();
    await rm(folder, { recursive: true });
  });

  for (const engine of findEngines()) {
    describe(`in ${engine.name}`, () => {
      const kept = new KeptPictures(engine.name);
      const isChromium = engine.name === 'chromium';
      const views = pictureViews.filter(({ forced }) => forced === undefined || isChromium);
      let driver: Driver;
      const screenshots = new Map<number, string>();
      let fontProblem: string | undefined;
      before(async () => {
        driver = await openDriver(engine);
        await driver.open(`${site.url}/element`);
        await driver.evaluate(stage, views as never, pictureHistories as never);
        await driver.waitFor(isStill, views as never, 5);
        const fonts = await driver.evaluate(measureFonts, 'narrow');
        if (makesPictures) kept.keepFonts(fonts);
        else fontProblem = kept.fontProblem(fonts);
      });
      after(() => driver.close());

      /** Returns a screenshot of a row, taken now if `isFresh` or if there is none yet. */
      async function screenshot(row: number, isFresh: boolean): Promise<string> {
        const before = screenshots.get(row);
        if (before !== undefined && !isFresh) return before;
        await driver.evaluate(bringIntoView, row, before !== undefined);
        const path = join(folder, `${engine.name}.png`);
        await driver.screenshot(path);
        const taken = await readFile(path, 'base64');
        screenshots.set(row, taken);
        return taken;
      }

      async function compare(
        { place }: PictureView,
        known: string | null,
        isFresh = true,
      ): Promise<Compared> {
        const row = Math.floor(place.y / rowHeight) * rowHeight;
        const inRow = { ...place, y: place.y - row };
        return driver.evaluate(comparePictures, await screenshot(row, isFresh), inRow, known, tolerance);
      }

      async function check(view: PictureView, name: string, isFresh = false): Promise<void> {
        const known = kept.read(name);
        if (makesPictures) {
          kept.keep(name, (await compare(view, null, isFresh)).picture);
          return;
        }
        assert.notEqual(known, null, `There is no picture "${name}". To create it: npm run pictures`);
        // Repeated, since a browser may return an outdated screenshot.
        const deadline = Date.now() + 5000;
        let compared = await compare(view, known, isFresh);
        while (compared.dots > maxDots && Date.now() < deadline) compared = await compare(view, known);
        const { dots, worst, picture, difference } = compared;
        if (dots <= maxDots) return;
        const files = kept.writeDifference(name, picture, difference);
        const extent = `${String(dots)} dots look different, by up to ${String(worst)} of 255`;
        assert.fail(`${extent}. See ${files}. If the change is intended: npm run pictures`);
      }

      for (const view of views) {
        it(view.name, async (test) => {
          if (fontProblem !== undefined) {
            test.skip(fontProblem);
            return;
          }
          await check(view, view.name);
          for (const colorScheme of view.forced ?? []) {
            await driver.prefer({ forcedColors: 'active', colorScheme });
            await check(view, `${view.name}-forced-${colorScheme}`, true);
          }
          if (view.forced) await driver.prefer({ forcedColors: 'none', colorScheme: 'light' });
        });
      }

      if (isChromium && !makesPictures)
        it('detects faults', async (test) => {
          if (fontProblem !== undefined) {
            test.skip(fontProblem);
            return;
          }
          const view = views[0] as PictureView;
          for (const [fault, css] of Object.entries(faults)) {
            await driver.evaluate(setFault, view.name, css);
            const { dots } = await compare(view, kept.read(view.name));
            assert.ok(dots > maxDots, `${fault}: ${String(dots)} dots`);
          }
          await driver.evaluate(setFault, view.name, '');
        });
    });
  }
});

/**
 * Runs in the page: scrolls to a row and waits until each frame has painted, since browsers delay painting outside the
 * viewport. A busy Chromium sometimes leaves a frame blank, so a repeated call forces a repaint.
 */
async function bringIntoView(top: number, isAgain: boolean): Promise<void> {
  scrollTo({ top, behavior: 'instant' });
  const frames = [...document.querySelectorAll('iframe')].filter(({ offsetTop }) => offsetTop === top);
  for (const visibility of isAgain ? ['hidden', 'visible'] : ['visible']) {
    for (const { style } of frames) style.visibility = visibility;
    for (const view of [window, ...frames.map(({ contentWindow }) => contentWindow ?? window)])
      await new Promise((resolve) => view.requestAnimationFrame(() => view.requestAnimationFrame(resolve)));
  }
}

/** Runs in the page: replaces the fault of a chat. */
function setFault(name: string, css: string): void {
  const { contentDocument, contentWindow } = document.getElementById(name) as HTMLIFrameElement;
  const root = contentDocument?.querySelector('voice-assistant-chat')?.shadowRoot as ShadowRoot;
  const { CSSStyleSheet: Sheet } = contentWindow as Window & typeof globalThis;
  const sheet = new Sheet();
  sheet.replaceSync(`:host { --fault: 1 } ${css}`);
  const isFault = (each: CSSStyleSheet): boolean => each.cssRules[0]?.cssText.includes('--fault') ?? false;
  const { adoptedStyleSheets: sheets } = root;
  root.adoptedStyleSheets = [...sheets.filter((each) => !isFault(each)), sheet];
}
