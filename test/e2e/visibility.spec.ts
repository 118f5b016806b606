import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findEngines } from '../support/browser/browsers.ts';
import { startDemo } from '../support/service/demo-process.ts';
import type { DemoProcess } from '../support/service/demo-process.ts';
import { openDriver } from './driver.ts';
import type { Driver } from './driver.ts';
import { findPart, partTexts } from './find-part.ts';

/*
 * Compares two screenshots of the same browser, with and without a control or its focus indicator. Baselines from another
 * machine would differ in their fonts, which says nothing about the visibility of the control.
 */

/** Minimum contrast between a control and its background: WCAG 2.2, 1.4.11. */
const minContrast = 3;

const controls = [
  'menu-button',
  'restart-button',
  'close-button',
  'composer-input',
  'send-button',
  'launcher',
];

/** Runs in the page: returns how many pixels around a part differ between two pictures, and the highest contrast. */
async function compare(
  name: string,
  one: string,
  other: string,
): Promise<{ pixels: number; contrast: number }> {
  const { x, y, width, height } = (findPart(name) as Element).getBoundingClientRect();
  const scale = devicePixelRatio;
  const margin = 8;
  const read = async (png: string): Promise<Uint8ClampedArray> => {
    const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(
      Math.ceil((width + 2 * margin) * scale),
      Math.ceil((height + 2 * margin) * scale),
    );
    const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
    context.drawImage(bitmap, -(x - margin) * scale, -(y - margin) * scale);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const luminance = (data: Uint8ClampedArray, at: number): number => {
    const [red = 0, green = 0, blue = 0] = Array.from(data.slice(at, at + 3), (value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [first, second] = await Promise.all([read(one), read(other)]);
  let pixels = 0;
  let contrast = 1;
  for (let at = 0; at < first.length; at += 4) {
    const [dark = 0, light = 0] = [luminance(first, at), luminance(second, at)].sort((a, b) => a - b);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio >= 3) pixels++;
    contrast = Math.max(contrast, ratio);
  }
  return { pixels: pixels / scale ** 2, contrast };
}

describe('controls are visible', () => {
  let demo: DemoProcess;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'visibility-'));
    demo = await startDemo();
  });
  after(async () => {
    await demo.stop();
    await rm(folder, { recursive: true });
  });

  for (const engine of findEngines()) {
    describe(`in ${engine.name}`, () => {
      let driver: Driver;
      before(async () => {
        driver = await openDriver(engine);
      });
      after(() => driver.close());

      async function picture(): Promise<string> {
        await driver.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
        );
        const path = join(folder, `${engine.name}.png`);
        await driver.screenshot(path);
        return (await readFile(path)).toString('base64');
      }

      async function visit(theme: string, color: string): Promise<void> {
        await driver.open(`${demo.url}/hostile-nothing.html`);
        await driver.evaluate(
          (theme, color) => {
            const chat = document.querySelector('voice-assistant-chat');
            chat?.setAttribute('theme', theme);
            chat?.setAttribute('color', color);
            chat?.setAttribute('open', '');
          },
          theme,
          color,
        );
        await driver.waitFor(() => partTexts('message-assistant').length === 1);
        // Keeps the caret from blinking between two pictures.
        await driver.evaluate(() => {
          (findPart('composer-input') as HTMLElement).style.caretColor = 'transparent';
        });
        await driver.waitFor(() => findPart('message-log')?.getAnimations().length === 0);
      }

      async function blur(): Promise<void> {
        await driver.evaluate(() => {
          const { activeElement } = document.querySelector('voice-assistant-chat')?.shadowRoot ?? {};
          (activeElement as HTMLElement | null | undefined)?.blur();
        });
      }

      /** Waits until enough pixels differ; takes several pictures, since a browser may return an outdated one. */
      async function waitForDifference(
        label: string,
        name: string,
        before: string,
        minPixels: number,
      ): Promise<void> {
        const deadline = Date.now() + 5000;
        for (;;) {
          const { pixels, contrast } = await driver.evaluate(compare, name, before, await picture());
          if (pixels >= minPixels && contrast >= minContrast) return;
          const found = `${String(pixels)} of ${String(minPixels)} pixels, with a contrast of ${String(contrast)}`;
          if (Date.now() > deadline) assert.fail(`${label} shows in ${found}`);
        }
      }

      async function expectVisibleControls(): Promise<void> {
        await blur();
        const whole = await picture();
        for (const name of controls) {
          await driver.evaluate((part) => {
            (findPart(part) as HTMLElement).style.visibility = 'hidden';
          }, name);
          await waitForDifference(name, name, whole, 16);
          await driver.evaluate((part) => {
            (findPart(part) as HTMLElement).style.visibility = '';
          }, name);
        }
      }

      async function expectVisibleFocus(): Promise<void> {
        for (const name of controls) {
          await blur();
          const before = await picture();
          const around = await driver.evaluate((part) => {
            const control = findPart(part) as HTMLElement;
            // The keyboard focus, which is always visible.
            control.focus({ focusVisible: true });
            const { width, height } = control.getBoundingClientRect();
            return width + height;
          }, name);
          // Half the perimeter, one pixel wide. WCAG 2.2, 2.4.13 (AAA) requires the whole perimeter, two pixels wide.
          await waitForDifference(`the focus on ${name}`, name, before, around);
        }
      }

      for (const [theme, color] of [
        ['light', '#2f5bea'],
        ['dark', '#1d3b8b'],
        ['light', '#f5d90a'],
      ] as const) {
        it(`each control, and the focus on it, in ${color}, ${theme}`, async () => {
          await visit(theme, color);
          await expectVisibleControls();
          await expectVisibleFocus();
        });
      }

      it('each control, and the focus on it, in forced colors', async (test) => {
        if (engine.name !== 'chromium') {
          test.skip('Only Chromium lets a test force colors.');
          return;
        }
        for (const colorScheme of ['light', 'dark'] as const) {
          await driver.prefer({ forcedColors: 'active', colorScheme });
          await visit('auto', '#2f5bea');
          await expectVisibleControls();
          await expectVisibleFocus();
        }
        await driver.prefer({ forcedColors: 'none' });
      });
    });
  }
});
