import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillVariables } from '../../src/service/lib/fill-variables.ts';

const cases: [template: string, variables: Record<string, unknown>, filled: string][] = [
  ['Hello {{name}}!', { name: 'Ada' }, 'Hello Ada!'],
  ['Hello {{ name }}!', { name: 'Ada' }, 'Hello Ada!'],
  ['{{a}}{{b}}{{a}}', { a: '1', b: '2' }, '121'],
  ['Hello {{name}}!', {}, 'Hello !'],
  ['{{}}{{ }}', {}, ''],
  ['{{a}}', { a: '{{b}}', b: 'no' }, '{{b}}'],
  ['{{a}}', { a: '$& $1 $$' }, '$& $1 $$'],
  ['{{constructor}}{{toString}}{{__proto__}}', {}, ''],
  ['{{a}} {{b}} {{c}} {{d}}', { a: 1.5, b: true, c: null, d: { x: [1] } }, '1.5 true  {"x":[1]}'],
  ['{name} {{name} {{{name}}}', { name: 'Ada' }, '{name} {{name} {Ada}'],
  ['{{ vor name }} {{größe}} {{اسم}}', { 'vor name': 'A', größe: 'B', اسم: 'C' }, 'A B C'],
];
for (const [template, variables, filled] of cases) {
  test(`${JSON.stringify(template)} with ${JSON.stringify(variables)} becomes ${JSON.stringify(filled)}`, () => {
    assert.equal(fillVariables(template, variables), filled);
  });
}

test('handles long runs of braces and spaces in linear time', () => {
  const hostile = `${'{{'.repeat(50_000)}${' '.repeat(50_000)}`;
  assert.equal(fillVariables(hostile, {}), hostile);
});
