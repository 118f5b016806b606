import type { TestRunnerPlugin } from '@web/test-runner-core';
import type { PlaywrightLauncher } from '@web/test-runner-playwright';
import type { Browser } from 'webdriverio';

/** What a test can ask of the browser around its page; `page.ts` has the functions that send these. */
export interface PageCommands {
  'page:type': { text: string };
  'page:press': { keys: string[] };
  'page:click': { x: number; y: number };
  'page:viewport': { width: number; height: number };
  'page:media': { colorScheme?: 'light' | 'dark'; reducedMotion?: 'reduce' | 'no-preference' };
}

type Handlers<Target> = {
  [Name in keyof PageCommands]: (target: Target, payload: PageCommands[Name]) => Promise<unknown>;
};

/**
 * Carries out the tests' commands in every engine. Web Test Runner's own commands know neither key chords nor
 * window sizes over WebDriver.
 */
export function pageCommands(): TestRunnerPlugin {
  return {
    name: 'page-commands',
    async executeCommand({ command, payload, session }) {
      if (!(command in playwright)) return undefined;
      const name = command as keyof PageCommands;
      if (session.browser.type === 'webdriver') {
        // The launcher keeps its driver to itself, but has no methods for window sizes and chords.
        const { driver } = session.browser as unknown as { driver: Browser };
        await webDriver[name](driver, payload as never);
      } else {
        const { browser } = session as { browser: unknown } as {
          browser: Pick<PlaywrightLauncher, 'getPage'>;
        };
        const page = browser.getPage(session.id);
        await playwright[name](page, payload as never);
      }
      return true;
    },
  };
}

type Page = ReturnType<PlaywrightLauncher['getPage']>;

const playwright: Handlers<Page> = {
  'page:type': (page, { text }) => page.keyboard.type(text),
  'page:press': (page, { keys }) => page.keyboard.press(keys.join('+')),
  'page:click': (page, { x, y }) => page.mouse.click(x, y),
  'page:viewport': (page, size) => page.setViewportSize(size),
  'page:media': (page, media) => page.emulateMedia(media),
};

const webDriver: Handlers<Browser> = {
  'page:type': (driver, { text }) => driver.keys(Array.from(text)),
  'page:press': (driver, { keys }) => driver.keys(keys),
  'page:click': (driver, { x, y }) =>
    driver.performActions([
      {
        type: 'pointer',
        id: 'mouse',
        parameters: { pointerType: 'mouse' },
        actions: [
          { type: 'pointerMove', duration: 0, x: Math.round(x), y: Math.round(y) },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
      },
    ]),
  async 'page:viewport'(driver, { width, height }) {
    const [frameWidth, frameHeight] = await driver.execute(() => [
      outerWidth - innerWidth,
      outerHeight - innerHeight,
    ]);
    await driver.setWindowRect(null, null, width + frameWidth, height + frameHeight);
  },
  'page:media': () =>
    Promise.reject(new Error('This engine cannot emulate media. Ask `supports.emulateMedia` first.')),
};
