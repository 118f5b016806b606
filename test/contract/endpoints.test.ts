import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as endpoints from '../../src/contract/endpoints.ts';

describe('the endpoints', () => {
  for (const [name, endpoint] of Object.entries(endpoints)) {
    it(`${name} lies below /api and names its answers`, () => {
      assert.match(endpoint.path, /^\/api(\/(:?[a-z-]+))+$/);
      assert.ok(endpoint.statuses.some((status) => status === 200));
      assert.deepEqual(
        [...endpoint.statuses],
        [...new Set(endpoint.statuses)].sort((a, b) => a - b),
      );
    });
  }

  it('asks for a key below /api/user and /api/automate and nowhere else', () => {
    for (const { path, auth } of Object.values(endpoints)) {
      assert.equal(auth === 'bearer', /^\/api\/(user|automate)\//.test(path), path);
    }
  });

  it('has no two endpoints with one method and path', () => {
    const names = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`);
    assert.equal(new Set(names).size, names.length);
  });
});
