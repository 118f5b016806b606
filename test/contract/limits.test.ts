import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countCharacters } from '../../src/contract/limits.ts';

describe('countCharacters', () => {
  const counts: [string, number, string][] = [
    ['', 0, 'an empty string'],
    ['abc', 3, 'letters'],
    ['äöü', 3, 'precomposed letters'],
    ['😀', 1, 'a character outside the basic plane'],
    ['e\u0301', 2, 'a letter and its combining accent, which are two code points'],
    ['👩‍👧', 3, 'a family emoji, which has three code points'],
    ['\ud83d', 1, 'a lone surrogate'],
  ];
  for (const [text, expected, description] of counts) {
    it(`counts ${expected} for ${description}`, () => {
      assert.equal(countCharacters(text), expected);
    });
  }
});
