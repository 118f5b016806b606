import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkField } from '../../../src/widget/panel/gate/check-field.ts';
import type { FormField } from '../../../src/widget/form-field.ts';

const check = (type: NonNullable<FormField['type']>, answer: string) =>
  checkField({ name: 'field', label: 'Field', type, options: ['A', ' B  C '] }, answer);

describe('a phone number', () => {
  for (const [answer, value] of [
    ['+49 (0)170 1234567', '+49 (0)170 1234567'],
    ['٠٥٠١٢٣٤٥٦٧', '0501234567'],
    ['۰۹۱۲ ۳۴۵ ۶۷۸۹', '0912 345 6789'],
    ['＋８１（９０）１２３４－５６７８', '+81(90)1234-5678'],
    ['090ー1234ー5678', '090-1234-5678'],
    ['0170–1234‑567', '0170-1234-567'],
    // As copied from the contacts of a phone.
    ['\u202a+49 170 1234567\u202c', '+49 170 1234567'],
  ] as const)
    it(`may be written as ${JSON.stringify(answer)}`, () => {
      assert.deepEqual(check('tel', answer), { value });
    });

  for (const answer of ['123', 'call me', '+49 170 1234567 or 1234568', '٠٥٠'])
    it(`may not be ${JSON.stringify(answer)}`, () => {
      assert.deepEqual(check('tel', answer), { fault: 'invalid' });
    });
});

describe('the answer to a select', () => {
  it('is one of its options, with its spaces', () => {
    assert.deepEqual(check('select', ' B  C '), { value: ' B  C ' });
    assert.deepEqual(check('select', 'A'), { value: 'A' });
  });
  it('is nothing else', () => {
    assert.deepEqual(check('select', 'B C'), { fault: 'invalid' });
    assert.deepEqual(check('select', ''), {});
  });
});
