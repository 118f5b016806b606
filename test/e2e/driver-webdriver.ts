import { remote } from 'webdriverio';
import type { Engine } from '../support/browser/browsers.ts';
import { webDriverInput } from '../support/browser/user-input.ts';
import { startWebKitDriver } from '../support/browser/webkit-driver.ts';
import type { DriverPage } from './driver-page.ts';

/** Opens a page of WebKitGTK's MiniBrowser. */
export async function openWebDriverPage(engine: Extract<Engine, { name: 'webkit' }>): Promise<DriverPage> {
  const server = await startWebKitDriver(engine);
  const driver = await remote(server.connection).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  await driver.setTimeout({ script: 30_000, pageLoad: 60_000 });
  const input = webDriverInput(driver);
  await input.resize(1280, 800);
  return {
    input,
    errors: [],
    async open(url) {
      await driver.navigateTo(url);
    },
    async reload() {
      await driver.refresh();
    },
    async run(source, args) {
      const script = `const done = arguments[0];
        Promise.resolve().then(() => (${source})(...${JSON.stringify(args)}))
          .then((value) => done({ value }), (error) => done({ failure: String(error) + '\\n' + error?.stack }));`;
      const { value, failure } = (await driver.executeAsyncScript(script, [])) as {
        value?: unknown;
        failure?: string;
      };
      if (failure !== undefined) throw new Error(`In the page: ${failure}`);
      return value;
    },
    async screenshot(path) {
      await driver.saveScreenshot(path);
    },
    async close() {
      await driver.deleteSession();
      await server.stop();
    },
  };
}
