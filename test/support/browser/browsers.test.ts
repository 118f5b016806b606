import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findEngines, wantedEngines } from './browsers.ts';

describe('the engines under test', () => {
  it('are all by default', () => {
    for (const list of ['', ' ']) {
      assert.deepEqual(wantedEngines(list), ['chromium', 'firefox', 'webkit']);
    }
  });

  it('are the named ones, always in the same order', () => {
    assert.deepEqual(wantedEngines('webkit, chromium'), ['chromium', 'webkit']);
  });

  it('reject an unknown name', () => {
    assert.throws(
      () => wantedEngines('chromium,safari'),
      /names "safari". It takes a list of chromium, firefox, webkit/,
    );
  });

  it('are found only among the requested ones', () => {
    assert.deepEqual(findEngines([]), []);
    for (const { name } of findEngines(['firefox'])) assert.equal(name, 'firefox');
  });
});
