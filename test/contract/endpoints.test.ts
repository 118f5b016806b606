import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as endingEndpoints from '../../src/contract/ending-endpoints.ts';
import * as visitorEndpoints from '../../src/contract/endpoints.ts';
import * as ownerEndpoints from '../../src/contract/owner-endpoints.ts';

const endpoints = { ...visitorEndpoints, ...endingEndpoints, ...ownerEndpoints };

describe('the endpoints', () => {
  for (const [name, endpoint] of Object.entries(endpoints)) {
    it(`${name} lies below /api and names its answers`, () => {
      assert.match(endpoint.path, /^\/api(\/(:?[a-zA-Z_-]+))+$/);
      assert.ok(endpoint.statuses.some((status) => status === 200 || status === 201));
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

  it('names none of them twice', () => {
    const names = [
      ...Object.keys(visitorEndpoints),
      ...Object.keys(endingEndpoints),
      ...Object.keys(ownerEndpoints),
    ];
    assert.equal(new Set(names).size, names.length);
  });

  it('has no two endpoints with one method and path', () => {
    const names = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`);
    assert.equal(new Set(names).size, names.length);
  });
});
