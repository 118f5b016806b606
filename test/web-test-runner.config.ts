import type { TestRunnerConfig } from '@web/test-runner';
import type { BrowserLauncher, TestRunnerPlugin } from '@web/test-runner-core';
import { playwrightLauncher } from '@web/test-runner-playwright';
import type { Engine } from './support/browser/browsers.ts';
import { startDemo } from './support/service/demo-process.ts';
import { bundleTests } from './support/browser/bundle-tests.ts';
import { modelCommands } from './support/browser/model-commands.ts';
import { failingScripts } from './support/browser/failing-scripts.ts';
import { startModelServer } from './support/servers/model-server.ts';
import { ownerCommands } from './support/browser/owner-commands.ts';
import { pageCommands } from './support/browser/page-commands.ts';
import { repository } from './support/repository.ts';
import { servicesPath } from './support/browser/service-descriptions.ts';
import type { ServiceDescriptions } from './support/browser/service-descriptions.ts';
import { WebKitLauncher } from './support/browser/webkit-launcher.ts';

export interface BrowserTestSetup {
  config: TestRunnerConfig;
  /** Stops the started services and drivers. */
  stop(): Promise<void>;
}

/**
 * Sets up Web Test Runner for the given engines. Tests import the built widget from `dist`, since tests of the sources can
 * pass while the bundle is broken.
 */
export async function setUpBrowserTests(
  engines: readonly Engine[],
  files: readonly string[],
  grep?: string,
): Promise<BrowserTestSetup> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const model = await startModelServer();
    stops.push(() => model.close());
    const [service, modelService] = await Promise.all([startDemo(), startDemo({ LLM_BASE_URL: model.url })]);
    stops.push(
      () => service.stop(),
      () => modelService.stop(),
    );
    const browsers: BrowserLauncher[] = [];
    for (const engine of engines) {
      if (engine.name === 'webkit') {
        const launcher = new WebKitLauncher(engine);
        stops.push(() => launcher.stop());
        browsers.push(launcher);
      } else {
        const { name, ...launchOptions } = engine;
        // Tests mostly wait, so Chromium alone runs two files at once; each of its pages has the focus. Three browsers
        // keep two cores busy.
        const concurrency = name === 'chromium' && engines.length === 1 ? 2 : 1;
        browsers.push(playwrightLauncher({ product: name, launchOptions, concurrency }));
      }
    }
    const plugins = [
      await bundleTests(files),
      describeServices({ service, modelService }),
      pageCommands(),
      modelCommands(model),
      ownerCommands(service),
    ];
    const testFramework = {
      config: { ui: 'bdd', timeout: '120000', ...(grep !== undefined && { fgrep: grep }) },
    };
    return { config: { ...fixedConfig, files: [...files], browsers, plugins, testFramework }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const fixedConfig: TestRunnerConfig = {
  rootDir: repository,
  middleware: [failingScripts],
  // All browsers run at once, each with one test file.
  concurrentBrowsers: 3,
  concurrency: 1,
  browserStartTimeout: 300_000,
  testsStartTimeout: 120_000,
  testsFinishTimeout: 900_000,
  staticLogging: true,
  // WebDriver uses one browser profile for all test files, so each file clears storage first.
  testRunnerHtml: (framework) => `<!doctype html>
<html lang="en">
  <head><title>Browser tests</title></head>
  <body>
    <script>
      localStorage.clear();
      sessionStorage.clear();
    </script>
    <script type="module" src="${framework}"></script>
  </body>
</html>`,
};

/** Serves the descriptions that `service-under-test.ts` reads. */
function describeServices(descriptions: ServiceDescriptions): TestRunnerPlugin {
  return {
    name: 'services-under-test',
    serve: ({ path }) =>
      path === servicesPath ? { body: JSON.stringify(descriptions), type: 'json' } : undefined,
  };
}
