import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModule } from '../../src/widget/load-module.ts';

describe('loadModule', () => {
  it('does not retry by address if the bundler takes the module out of a larger file', async () => {
    const error = new TypeError(
      'Failed to fetch dynamically imported module: https://site.example/talk-1.js',
    );
    const load = (): Promise<unknown> =>
      Promise.reject(error).then((file: { t: unknown }) => file.t /* talk-1.js */);
    await assert.rejects(loadModule(load), error);
  });
});
