import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, firefox } from 'playwright';

export const engineNames = ['chromium', 'firefox', 'webkit'] as const;
export type EngineName = (typeof engineNames)[number];

/** An installed browser engine, with the settings to start it. */
export type Engine =
  | { name: 'chromium'; executablePath: string; args: string[] }
  | { name: 'firefox'; executablePath: string; channel?: 'moz-firefox' }
  | { name: 'webkit'; webDriver: string; miniBrowser: string; xvfb: string };

/** Debian's packages of each engine. */
export const enginePackages: Record<EngineName, string[]> = {
  chromium: ['chromium'],
  firefox: ['firefox-esr'],
  webkit: ['webkit2gtk-driver', 'xvfb'],
};

// Background requests would mix with those of the page; root cannot use the sandbox.
const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The engines installed here, in a fixed order, limited to those that `TEST_ENGINES` (`chromium,firefox`) names. */
export function findEngines(wanted: readonly EngineName[] = wantedEngines()): Engine[] {
  return wanted.map((name) => finders[name]()).filter((engine) => engine !== undefined);
}

/** The engines that the tests use: all, or those that `TEST_ENGINES` names. */
export function wantedEngines(list = process.env['TEST_ENGINES']): EngineName[] {
  if (list === undefined || list.trim() === '') return [...engineNames];
  const names = list.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!engineNames.includes(name as EngineName)) {
      throw new Error(`TEST_ENGINES names "${name}". It takes a list of ${engineNames.join(', ')}.`);
    }
  }
  return engineNames.filter((name) => names.includes(name));
}

const finders: Record<EngineName, () => Engine | undefined> = {
  chromium() {
    const executablePath =
      findProgram('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable') ??
      findFile('/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', chromium.executablePath());
    return executablePath === undefined
      ? undefined
      : { name: 'chromium', executablePath, args: chromiumFlags };
  },
  firefox() {
    const system =
      findProgram('firefox-esr', 'firefox') ?? findFile('/Applications/Firefox.app/Contents/MacOS/firefox');
    if (system !== undefined) return { name: 'firefox', executablePath: system, channel: 'moz-firefox' };
    const downloaded = findFile(firefox.executablePath());
    return downloaded === undefined ? undefined : { name: 'firefox', executablePath: downloaded };
  },
  webkit() {
    const webDriver = findProgram('WebKitWebDriver');
    const xvfb = findProgram('Xvfb');
    const [miniBrowser] = globSync([
      '/usr/{lib,lib64,libexec}/webkit*gtk-*/MiniBrowser',
      '/usr/lib/*/webkit*gtk-*/MiniBrowser',
    ]).sort();
    if (webDriver === undefined || xvfb === undefined || miniBrowser === undefined) return undefined;
    return { name: 'webkit', webDriver, miniBrowser, xvfb };
  },
};

/** The first of the named programs on the search path. */
function findProgram(...names: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return findFile(...names.flatMap((name) => folders.map((folder) => join(folder, name))));
}

function findFile(...paths: string[]): string | undefined {
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
