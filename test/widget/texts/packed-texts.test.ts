import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { enLate } from '../../../src/widget/texts/en-late.ts';
import { en } from '../../../src/widget/texts/en.ts';
import { languages, loadTexts } from '../../../src/widget/texts/locales.ts';
import { pack, unpack } from '../../../src/widget/texts/packed-texts.ts';
import type { Texts } from '../../../src/widget/texts/texts.ts';

describe('packed texts', () => {
  it('come out as they went in, in every language', async () => {
    for (const language of languages) {
      const locale = await loadTexts(language);
      const texts = locale?.texts as Texts;
      assert.deepEqual(unpack(pack(texts)), texts, language);
    }
  });

  it('hold no names', () => {
    assert.ok(!pack({ ...en, ...enLate }).includes('newConversation'));
  });

  for (const text of ['one | two', 'one\ntwo']) {
    it(`are refused when one is ${JSON.stringify(text)}, which could not be unpacked`, () => {
      assert.throws(
        () => pack({ ...en, ...enLate, close: text }),
        /The text "close" must be one line without "\|"/,
      );
      const unread = { one: text, other: '{count} unread' };
      assert.throws(() => pack({ ...en, ...enLate, unread }), /The text "unread"/);
    });
  }
});
