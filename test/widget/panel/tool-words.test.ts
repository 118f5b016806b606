import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readableValue } from '../../../src/widget/panel/page-tools/readable-value.ts';
import { titleOf } from '../../../src/widget/panel/page-tools/tool-title.ts';
import { en } from '../../../src/widget/texts/en.ts';
import type { Texts } from '../../../src/widget/texts/texts.ts';

const texts: Texts = en;

describe('the description of a page tool for visitors', () => {
  it('has its title, or its name in words', () => {
    assert.equal(titleOf('Put it into the cart', 'add_to_cart'), 'Put it into the cart');
    for (const title of [' ', undefined, 7]) assert.equal(titleOf(title, 'track'), 'Track');
    for (const [name, title] of [
      ['lookup_order', 'Lookup order'],
      ['openPage2Now', 'Open page2 now'],
      ['get-SKU', 'Get SKU'],
      ['a__b_', 'A b'],
      ['__', '__'],
    ] as const)
      assert.equal(titleOf(undefined, name), title);
  });

  it('has values in the visitor’s language', () => {
    const read = (value: unknown, language = 'en'): string => readableValue(value, texts, language);
    assert.equal(read(true), 'Yes');
    assert.equal(read(false), 'No');
    assert.equal(read('ALP-40'), 'ALP-40');
    assert.equal(read(20251), '20251');
    assert.equal(read(1.5, 'de'), '1,5');
    for (const nothing of [null, undefined, '', []]) assert.equal(read(nothing), '–');
    assert.equal(read(['S', 'M', true]), 'S, M, and Yes');
    assert.equal(read({ zip_code: '79098', isGift: false }), 'Zip code: 79098\nIs gift: No');
    assert.equal(read([{ code: 'A', n: 1 }, { code: 'B' }]), 'Code: A\nN: 1\n\nCode: B');
    assert.equal(read({ a: { b: { c: { d: 1 } } } }), 'A: B: C: {"d":1}');
  });
});
