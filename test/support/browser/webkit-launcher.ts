import type { BrowserLauncher } from '@web/test-runner-core';
import { remote } from 'webdriverio';
import type { Browser } from 'webdriverio';
import type { Engine } from './browsers.ts';
import { startWebKitDriver } from './webkit-driver.ts';

interface WebKitSession {
  readonly driver: Browser;
  /** Empties the page, in a window of the first size. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

const maxStarts = 3;

/**
 * Opens test files in WebKitGTK, one at a time. WebKitWebDriver sometimes stops responding on a busy machine: it is then
 * started again, and the page that was not opened yet is opened. A page that stops responding while its tests run fails.
 */
export class WebKitLauncher implements BrowserLauncher {
  readonly name = 'WebKit';
  readonly type = 'webdriver';
  readonly concurrency = 1;
  readonly #engine: Extract<Engine, { name: 'webkit' }>;
  readonly #urls = new Map<string, string>();
  #session: WebKitSession | undefined;

  constructor(engine: Extract<Engine, { name: 'webkit' }>) {
    this.#engine = engine;
  }

  /** @throws {Error} if no page is open */
  get driver(): Browser {
    if (!this.#session) throw new Error('WebKit is not running.');
    return this.#session.driver;
  }

  async startSession(id: string, url: string): Promise<void> {
    for (let start = 1; ; start++) {
      try {
        this.#session ??= await startSession(this.#engine);
        await this.#session.driver.navigateTo(url);
        this.#urls.set(id, url);
        return;
      } catch (error) {
        await this.#restart(error);
        if (start === maxStarts) throw error;
      }
    }
  }

  async stopSession(id: string): Promise<Record<string, never>> {
    this.#urls.delete(id);
    try {
      await this.#session?.reset();
    } catch (error) {
      await this.#restart(error);
    }
    return {};
  }

  isActive(id: string): boolean {
    return this.#urls.has(id);
  }

  getBrowserUrl(id: string): string | undefined {
    return this.#urls.get(id);
  }

  async startDebugSession(): Promise<void> {
    await Promise.reject(new Error('WebKit has no debug sessions.'));
  }

  async stop(): Promise<void> {
    await this.#session?.stop();
    this.#session = undefined;
  }

  async #restart(error: unknown): Promise<void> {
    console.log(`WebKitWebDriver did not respond and is started again: ${String(error)}`);
    await this.stop();
  }
}

async function startSession(engine: Extract<Engine, { name: 'webkit' }>): Promise<WebKitSession> {
  const server = await startWebKitDriver(engine);
  try {
    const driver = await remote(server.connection);
    await driver.setTimeout({ pageLoad: 30_000 });
    const { width, height } = await driver.getWindowRect();
    return {
      driver,
      reset: async () => {
        await driver.setWindowRect(null, null, width, height);
        await driver.navigateTo('about:blank');
      },
      stop: () => server.stop(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
