import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countCharacters } from '../../src/contract/limits.ts';

describe('countCharacters', () => {
  const counts: [string, number, string][] = [
    ['', 0, 'nothing'],
    ['abc', 3, 'letters'],
    ['äöü', 3, 'precomposed letters'],
    ['😀', 1, 'a character outside the basic plane'],
    ['e\u0301', 2, 'a letter and its combining accent, which are two code points'],
    ['👩‍👧', 3, 'people joined into one picture, which are three code points'],
    ['\ud83d', 1, 'half of a surrogate pair, as broken clients send it'],
  ];
  for (const [text, expected, what] of counts) {
    it(`counts ${expected} for ${what}`, () => {
      assert.equal(countCharacters(text), expected);
    });
  }
});
