import { waitUntil } from '@open-wc/testing';
import { executeServerCommand } from '@web/test-runner-commands';
import type { PageCommands } from './page-commands.ts';
import { clickPoint } from './click-point.ts';

/*
 * User input for browser tests that scripts in a page cannot create. The browser makes the events: they are trusted,
 * move the focus and have default actions.
 */

const { userAgent } = navigator;

/** The engine that runs this test. */
export const engine = userAgent.includes('Firefox/')
  ? 'firefox'
  : userAgent.includes('Chrome/')
    ? 'chromium'
    : 'webkit';

/** Capabilities of the engine under test. A test that needs a missing one calls `this.skip()`. */
export const supports = {
  /** `emulateMedia`: neither WebDriver BiDi in Firefox nor WebKitGTK supports it. */
  emulateMedia: engine === 'chromium',
  /** `tap`: WebDriver cannot tap without a touch screen. */
  touch: engine === 'chromium',
  /** Viewports as narrow as a phone: a window of WebKitGTK's MiniBrowser cannot be made narrower than its toolbar. */
  phoneViewport: engine !== 'webkit',
} as const;

/** Types a text into the focused element, key by key. */
export const type = (text: string) => command('page:type', { text });

/** Presses a key (`Enter`, `Escape`, `ArrowDown`, `a`) or a chord (`Shift+Tab`). */
export const press = (chord: string) => command('page:press', { keys: chord.split('+') });

/**
 * Clicks the middle of an element with the mouse, once it is at rest and nothing covers it. Tries again if the
 * element moves just before the click.
 */
export const click = (element: Element) => pressOn('page:click', element);

/** Taps the middle of an element with a finger, as `click` does with the mouse. Only where `supports.touch`. */
export const tap = (element: Element) => pressOn('page:tap', element);

/** Waits a moment: the click follows a tap with a delay, and the input on a slow machine. A second one would undo it. */
const waitForClick = (isClicked: () => boolean): Promise<void> =>
  waitUntil(isClicked, '', { timeout: 1000, interval: 5 }).catch(() => undefined);

function middleOf(element: Element): { x: number; y: number } {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}

async function pressOn(how: 'page:click' | 'page:tap', element: Element): Promise<void> {
  const deadline = performance.now() + 20_000;
  const clicked = new Set<EventTarget>();
  const watch = (event: Event) => {
    for (const target of event.composedPath()) clicked.add(target);
  };
  addEventListener('click', watch, true);
  try {
    for (;;) {
      const found = await clickPoint(element);
      const isLast = performance.now() > deadline;
      // Chromium has reported an element that nothing covers as covered: where a click goes decides.
      const center = typeof found !== 'string' ? found : isLast ? middleOf(element) : undefined;
      if (center) {
        await command(how, center);
        await waitForClick(() => clicked.has(element));
      }
      if (clicked.has(element)) return;
      if (isLast) {
        const why = typeof found === 'string' ? found : 'it moves away each time';
        throw new Error(`<${element.localName}> cannot be clicked: ${why}.`);
      }
    }
  } finally {
    removeEventListener('click', watch, true);
  }
}

/** Resizes the viewport, in CSS pixels. Below 450 pixels, check `supports.phoneViewport` first. */
export async function setViewport(width: number, height: number): Promise<void> {
  await command('page:resize', { width, height });
  await waitUntil(
    () => innerWidth === width && innerHeight === height,
    `The viewport cannot be made ${width} x ${height}.`,
    { timeout: 5000 },
  );
}

/** Sets media preferences. Only where `supports.emulateMedia`. */
export const emulateMedia = (media: PageCommands['page:prefer']) => command('page:prefer', media);

async function command<Name extends keyof PageCommands>(
  name: Name,
  payload: PageCommands[Name],
): Promise<void> {
  await executeServerCommand(name, payload);
}
