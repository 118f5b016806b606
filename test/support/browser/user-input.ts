import type { Page } from 'playwright';
import type { Browser } from 'webdriverio';

/** What a person's hands do to a page: events made by the browser itself, in every engine. */
export interface Hands {
  /** Types a text into whatever has the focus, key by key. */
  type(text: string): Promise<void>;
  /** Presses a key (`Enter`, `ArrowDown`, `a`), or several at once as a chord. */
  press(keys: readonly string[]): Promise<void>;
  /** Clicks a point of the viewport, in CSS pixels. */
  clickAt(x: number, y: number): Promise<void>;
  /** Taps a point of the viewport with a finger. Chromium alone can. */
  tapAt(x: number, y: number): Promise<void>;
  /** Gives the page a size in CSS pixels. */
  resize(width: number, height: number): Promise<void>;
  /** Sets the person's preferences. Chromium alone obeys. */
  prefer(media: MediaPreferences): Promise<void>;
}

export interface MediaPreferences {
  colorScheme?: 'light' | 'dark';
  reducedMotion?: 'reduce' | 'no-preference';
  forcedColors?: 'active' | 'none';
}

/** Hands over Playwright. */
export function playwrightHands(page: Page): Hands {
  return {
    type: (text) => page.keyboard.type(text),
    press: (keys) => page.keyboard.press(keys.join('+')),
    clickAt: (x, y) => page.mouse.click(x, y),
    async tapAt(x, y) {
      // Not `page.touchscreen`: it wants a whole browser that has no mouse.
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

/** Hands over classic WebDriver. WebKit refuses an interaction while another is under way, so they queue up. */
export function webDriverHands(driver: Browser): Hands {
  const hands = unqueuedHands(driver);
  const inTurn = (act: () => Promise<void>) => {
    const turn = (turns.get(driver) ?? Promise.resolve()).then(act);
    turns.set(
      driver,
      turn.catch(() => undefined),
    );
    return turn;
  };
  return {
    type: (text) => inTurn(() => hands.type(text)),
    press: (keys) => inTurn(() => hands.press(keys)),
    clickAt: (x, y) => inTurn(() => hands.clickAt(x, y)),
    tapAt: (x, y) => hands.tapAt(x, y),
    resize: (width, height) => inTurn(() => hands.resize(width, height)),
    prefer: (media) => hands.prefer(media),
  };
}

const turns = new WeakMap<Browser, Promise<void>>();

function unqueuedHands(driver: Browser): Hands {
  return {
    async type(text) {
      // Not `keys`: it holds every key down until the last, so that a letter which occurs twice is lost.
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
    tapAt: () => Promise.reject(new Error('WebKitGTK has no finger that WebDriver could move.')),
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
