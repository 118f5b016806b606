import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { operations } from '../../src/contract/operations.ts';

const folder = new URL('../../src/contract/', import.meta.url);

/**
 * Returns the names of the exported endpoints. The browser's versions have no `statuses`. Excludes
 * `watch-conversation.ts`, whose event stream JSON clients cannot read.
 */
async function exportedEndpoints(): Promise<string[]> {
  const partial = ['operations.ts', 'watch-conversation.ts'];
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts') && !partial.includes(name));
  const modules = await Promise.all(
    files.map(async (file) => (await import(new URL(file, folder).href)) as Record<string, unknown>),
  );
  return modules
    .flatMap((exports) => Object.entries(exports))
    .filter(([, value]) => typeof value === 'object' && value !== null && 'statuses' in value)
    .map(([name]) => name);
}

describe('the operations', () => {
  for (const [name, operation] of Object.entries(operations)) {
    it(`have a path below /api and sorted statuses: ${name}`, () => {
      assert.match(operation.path, /^\/api(\/(:?[a-zA-Z_-]+))+$/);
      assert.ok(operation.statuses.some((status) => status === 200 || status === 201));
      assert.deepEqual(
        [...operation.statuses],
        [...new Set(operation.statuses)].sort((a, b) => a - b),
      );
    });
  }

  it('require a key below /api/user and /api/automate and nowhere else', () => {
    for (const { path, auth } of Object.values(operations)) {
      assert.equal(auth === 'bearer', /^\/api\/(user|automate)\//.test(path), path);
    }
  });

  it('include every endpoint of the contract once', async () => {
    assert.deepEqual((await exportedEndpoints()).sort(), Object.keys(operations).sort());
  });

  it('have unique routes', () => {
    const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    assert.equal(new Set(routes).size, routes.length);
  });
});
