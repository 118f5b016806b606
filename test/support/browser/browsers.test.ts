import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findEngines, wantedEngines } from './browsers.ts';

describe('the engines to test in', () => {
  it('are all when nobody says otherwise', () => {
    for (const list of [undefined, '', ' ']) {
      assert.deepEqual(wantedEngines(list), ['chromium', 'firefox', 'webkit']);
    }
  });

  it('are those that are named, always in the same order', () => {
    assert.deepEqual(wantedEngines('webkit, chromium'), ['chromium', 'webkit']);
  });

  it('are not guessed from a name that is none', () => {
    assert.throws(
      () => wantedEngines('chromium,safari'),
      /names "safari". It takes a list of chromium, firefox, webkit/,
    );
  });

  it('are found only among those that are wanted', () => {
    assert.deepEqual(findEngines([]), []);
    for (const { name } of findEngines(['firefox'])) assert.equal(name, 'firefox');
  });
});
