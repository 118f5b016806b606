import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { repository } from '../support/repository.ts';
import { Document } from './document.ts';

/** The criteria of WCAG 2.2 of the levels A and AA, by guideline. */
const criteria = {
  '1.1': [1],
  '1.2': [1, 2, 3, 4, 5],
  '1.3': [1, 2, 3, 4, 5],
  '1.4': [1, 2, 3, 4, 5, 10, 11, 12, 13],
  '2.1': [1, 2, 4],
  '2.2': [1, 2],
  '2.3': [1],
  '2.4': [1, 2, 3, 4, 5, 6, 7, 11],
  '2.5': [1, 2, 3, 4, 7, 8],
  '3.1': [1, 2],
  '3.2': [1, 2, 3, 4, 6],
  '3.3': [1, 2, 3, 4, 7, 8],
  '4.1': [2, 3],
};

describe('test/accessibility.md', () => {
  const text = new Document('test/accessibility.md').text.replace(/\s+/g, ' ');

  it('has every criterion, in order, and no other', () => {
    assert.deepEqual(
      Array.from(text.matchAll(/\*\*(\d\.\d\.\d+) /g), ([, number]) => number),
      Object.entries(criteria).flatMap(([guideline, numbers]) =>
        numbers.map((number) => `${guideline}.${String(number)}`),
      ),
    );
  });

  it('names tests that exist', () => {
    const named = Array.from(text.matchAll(/`(test\/[\w./-]+\.ts)`((?:,? “[^”]+”)+)/g));
    assert.ok(named.length > 30);
    const missing = named.flatMap(([, path = '', titles = '']) => {
      const source = readFileSync(join(repository, path), 'utf8');
      const isTitle = (title: string) =>
        source.split('\n').some((line) => /^\s*(it|describe)\(|^\s*\[?'/.test(line) && line.includes(title));
      return Array.from(titles.matchAll(/“([^”]+)”/g), ([, title = '']) => title)
        .filter((title) => !isTitle(title))
        .map((title) => `${path}: ${title}`);
    });
    assert.deepEqual(missing, []);
  });
});
