import type { Page } from 'playwright';
import type { Browser } from 'webdriverio';

/** User input as trusted browser events, in every engine. */
export interface UserInput {
  /** Types a text into the focused element, key by key. */
  type(text: string): Promise<void>;
  /** Presses a key (`Enter`, `ArrowDown`, `a`), or several at once as a chord. */
  press(keys: readonly string[]): Promise<void>;
  /** Clicks a point of the viewport, in CSS pixels. */
  clickAt(x: number, y: number): Promise<void>;
  /** Taps a point of the viewport. Chromium only. */
  tapAt(x: number, y: number): Promise<void>;
  /** Resizes the viewport, in CSS pixels. */
  resize(width: number, height: number): Promise<void>;
  /** Sets media preferences. Chromium only. */
  prefer(media: MediaPreferences): Promise<void>;
}

export interface MediaPreferences {
  colorScheme?: 'light' | 'dark';
  reducedMotion?: 'reduce' | 'no-preference';
  forcedColors?: 'active' | 'none';
}

/** Input by Playwright. */
export function playwrightInput(page: Page): UserInput {
  return {
    type: (text) => page.keyboard.type(text),
    press: (keys) => page.keyboard.press(keys.join('+')),
    clickAt: (x, y) => page.mouse.click(x, y),
    async tapAt(x, y) {
      // Not `page.touchscreen`: it requires a browser context without a mouse.
      const session = await page.context().newCDPSession(page);
      await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
      await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await session.detach();
    },
    resize: (width, height) => page.setViewportSize({ width, height }),
    prefer: (media) => page.emulateMedia(media),
  };
}

const webDriverEnter = '\uE006';

/** Input by classic WebDriver. WebKit refuses concurrent interactions, so they are queued. */
export function webDriverInput(driver: Browser): UserInput {
  const input = unqueuedInput(driver);
  const inTurn = (act: () => Promise<void>) => {
    const turn = (turns.get(driver) ?? Promise.resolve()).then(act);
    turns.set(
      driver,
      turn.catch(() => undefined),
    );
    return turn;
  };
  return {
    type: (text) => inTurn(() => input.type(text)),
    press: (keys) => inTurn(() => input.press(keys)),
    clickAt: (x, y) => inTurn(() => input.clickAt(x, y)),
    tapAt: (x, y) => input.tapAt(x, y),
    resize: (width, height) => inTurn(() => input.resize(width, height)),
    prefer: (media) => input.prefer(media),
  };
}

const turns = new WeakMap<Browser, Promise<void>>();

function unqueuedInput(driver: Browser): UserInput {
  return {
    async type(text) {
      // Not `keys`: it holds all keys down until the last one, so repeated letters are lost.
      const actions = Array.from(text).flatMap((character) => {
        const value = character === '\n' ? webDriverEnter : character;
        return [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ];
      });
      await driver.performActions([{ type: 'key', id: 'keyboard', actions }]);
    },
    press: (keys) => driver.keys([...keys]),
    async clickAt(x, y) {
      const actions = [
        { type: 'pointerMove', duration: 0, x: Math.round(x), y: Math.round(y) },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      await driver.performActions([
        { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions },
      ]);
    },
    tapAt: () => Promise.reject(new Error('WebDriver cannot tap in WebKitGTK.')),
    async resize(width, height) {
      const frame = await driver.execute(() => ({
        width: outerWidth - innerWidth,
        height: outerHeight - innerHeight,
      }));
      await driver.setWindowRect(null, null, width + frame.width, height + frame.height);
    },
    prefer: () => Promise.reject(new Error('WebDriver has no command for media preferences.')),
  };
}
