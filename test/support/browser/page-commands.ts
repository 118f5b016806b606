import type { TestRunnerPlugin } from '@web/test-runner-core';
import type { Page } from 'playwright';
import type { Browser } from 'webdriverio';
import { playwrightHands, webDriverHands } from './user-input.ts';
import type { Hands, MediaPreferences } from './user-input.ts';

/** What a test can ask of the browser around its page; `page.ts` has the functions that send these. */
export interface PageCommands {
  'page:type': { text: string };
  'page:press': { keys: string[] };
  'page:click': { x: number; y: number };
  'page:tap': { x: number; y: number };
  'page:resize': { width: number; height: number };
  'page:prefer': MediaPreferences;
}

type CarryOut = {
  [Name in keyof PageCommands]: (hands: Hands, payload: PageCommands[Name]) => Promise<void>;
};

const carryOut: CarryOut = {
  'page:type': (hands, { text }) => hands.type(text),
  'page:press': (hands, { keys }) => hands.press(keys),
  'page:click': (hands, { x, y }) => hands.clickAt(x, y),
  'page:tap': (hands, { x, y }) => hands.tapAt(x, y),
  'page:resize': (hands, { width, height }) => hands.resize(width, height),
  'page:prefer': (hands, media) => hands.prefer(media),
};

/**
 * Carries out the tests' commands in every engine. Web Test Runner's own commands know neither key chords nor
 * window sizes over WebDriver.
 */
export function pageCommands(): TestRunnerPlugin {
  return {
    name: 'page-commands',
    async executeCommand({ command, payload, session }) {
      if (!(command in carryOut)) return undefined;
      const hands = handsOf(session.browser, session.id);
      await carryOut[command as keyof PageCommands](hands, payload as never);
      return true;
    },
  };
}

/** The launchers' own declarations hide their driver, or differ from the core's in what strictness sees. */
function handsOf(launcher: { type: string }, sessionId: string): Hands {
  if (launcher.type === 'webdriver') {
    const { driver } = launcher as unknown as { driver: Browser };
    return webDriverHands(driver);
  }
  const playwright = launcher as unknown as { getPage(id: string): Page };
  return playwrightHands(playwright.getPage(sessionId));
}
