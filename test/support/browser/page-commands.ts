import type { BrowserLauncher, TestRunnerPlugin } from '@web/test-runner-core';
import type { Page } from 'playwright';
import { playwrightInput, webDriverInput } from './user-input.ts';
import type { UserInput, MediaPreferences } from './user-input.ts';
import { WebKitLauncher } from './webkit-launcher.ts';

/** Commands of a test to its browser; the functions in `page.ts` send them. */
export interface PageCommands {
  'page:type': { text: string };
  'page:press': { keys: string[] };
  'page:click': { x: number; y: number };
  'page:tap': { x: number; y: number };
  'page:resize': { width: number; height: number };
  'page:prefer': MediaPreferences;
}

type Handlers = {
  [Name in keyof PageCommands]: (input: UserInput, payload: PageCommands[Name]) => Promise<void>;
};

const handlers: Handlers = {
  'page:type': (input, { text }) => input.type(text),
  'page:press': (input, { keys }) => input.press(keys),
  'page:click': (input, { x, y }) => input.clickAt(x, y),
  'page:tap': (input, { x, y }) => input.tapAt(x, y),
  'page:resize': (input, { width, height }) => input.resize(width, height),
  'page:prefer': (input, media) => input.prefer(media),
};

/**
 * Runs the tests' commands in every engine. Web Test Runner's own commands know neither key chords nor
 * window sizes over WebDriver.
 */
export function pageCommands(): TestRunnerPlugin {
  return {
    name: 'page-commands',
    async executeCommand({ command, payload, session }) {
      if (!(command in handlers)) return undefined;
      const input = inputOf(session.browser, session.id);
      await handlers[command as keyof PageCommands](input, payload as never);
      return true;
    },
  };
}

/** The cast is needed because the launcher's type hides the page. */
function inputOf(launcher: BrowserLauncher, sessionId: string): UserInput {
  if (launcher instanceof WebKitLauncher) return webDriverInput(launcher.driver);
  const playwright = launcher as unknown as { getPage(id: string): Page };
  return playwrightInput(playwright.getPage(sessionId));
}
