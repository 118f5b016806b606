import { relative } from 'node:path';
import type { TestRunnerPlugin } from '@web/test-runner-core';
import { build, type Plugin } from 'esbuild';
import { repository } from '../repository.ts';

/** Leaves imports of addresses to the browser: the widget, and modules of Web Test Runner. */
const servedModules: Plugin = {
  name: 'served-modules',
  setup: (bundling) => {
    bundling.onResolve({ filter: /^\// }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * Bundles test files, and serves them. Otherwise each page would load about fifty modules, most of them of
 * `@open-wc/testing`. The built widget is not bundled: tests import it by its address.
 */
export async function bundleTests(files: readonly string[]): Promise<TestRunnerPlugin> {
  const { outputFiles } = await build({
    absWorkingDir: repository,
    entryPoints: [...files],
    outbase: '.',
    outdir: '.',
    chunkNames: 'test/browser/chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    // Lit's development build logs a warning in every page.
    conditions: ['production'],
    plugins: [servedModules],
    // For the stack traces of failed tests.
    sourcemap: true,
    write: false,
    logLevel: 'warning',
  });
  const bundles = new Map(outputFiles.map(({ path, text }) => [`/${relative(repository, path)}`, text]));
  return {
    name: 'bundled-tests',
    serve({ path }) {
      const body = bundles.get(path.replace(/\.ts$/, '.js'));
      return body === undefined ? undefined : { body, type: path.endsWith('.map') ? 'json' : 'js' };
    },
  };
}
