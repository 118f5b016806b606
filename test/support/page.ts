import { waitUntil } from '@open-wc/testing';
import { executeServerCommand } from '@web/test-runner-commands';
import type { PageCommands } from './page-commands.ts';

/*
 * What browser tests do to their page as a person would, beyond what scripts in a page can do by themselves. The
 * events are real ones, made by the browser: trusted, with focus and default actions.
 */

const { userAgent } = navigator;

/** The engine that runs this test. */
export const engine = userAgent.includes('Firefox/')
  ? 'firefox'
  : userAgent.includes('Chrome/')
    ? 'chromium'
    : 'webkit';

/** What the engine under test can be made to do. A test that needs more says so by `this.skip()`. */
export const supports = {
  /** `emulateMedia`: neither WebDriver BiDi in Firefox nor WebKitGTK lets it be set. */
  emulateMedia: engine === 'chromium',
  /** Viewports as narrow as a phone: a window of WebKitGTK's MiniBrowser cannot be made narrower than its toolbar. */
  phoneViewport: engine !== 'webkit',
} as const;

/** Types a text into whatever has the focus, key by key. */
export const type = (text: string) => command('page:type', { text });

/** Presses a key (`Enter`, `Escape`, `ArrowDown`, `a`) or a chord (`Shift+Tab`). */
export const press = (chord: string) => command('page:press', { keys: chord.split('+') });

/** Clicks the middle of an element with the mouse, after scrolling it into view. */
export async function click(element: Element): Promise<void> {
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const { x, y, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0)
    throw new Error(`<${element.localName}> cannot be clicked: it has no size.`);
  await command('page:click', { x: x + width / 2, y: y + height / 2 });
}

/** Makes the page that many CSS pixels wide and high. For less than 450 pixels ask `supports.phoneViewport` first. */
export async function setViewport(width: number, height: number): Promise<void> {
  await command('page:resize', { width, height });
  await waitUntil(
    () => innerWidth === width && innerHeight === height,
    `The viewport cannot be made ${width} x ${height}.`,
    { timeout: 5000 },
  );
}

/** Sets the person's preferences. Only where `supports.emulateMedia`. */
export const emulateMedia = (media: PageCommands['page:prefer']) => command('page:prefer', media);

async function command<Name extends keyof PageCommands>(
  name: Name,
  payload: PageCommands[Name],
): Promise<void> {
  await executeServerCommand(name, payload);
}
