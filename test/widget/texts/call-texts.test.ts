import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callTexts, type CallTexts } from '../../../src/widget/texts/call-texts.ts';
import { loaders } from '../../../src/widget/texts/call-locales.ts';
import { languages } from '../../../src/widget/texts/locales.ts';
import { lettersOfOtherScripts } from './script.ts';
import { sentenceEnd } from './sentence-end.ts';

/** The same in all languages. */
const isNoWord = /\{\w+\}|https|Permissions-Policy|allow/g;

it('has texts for calls in every language of the chat', () => {
  assert.deepEqual(Object.keys(loaders).sort(), [...languages].sort());
});

for (const language of languages) {
  describe(`the texts of a call in ${new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language}`, () => {
    const load = async (): Promise<[key: keyof CallTexts, text: string][]> => {
      const loaded = await loaders[language]?.();
      return Object.entries(loaded?.default ?? {}) as [keyof CallTexts, string][];
    };
    /** Expects nothing of a list of texts at fault. */
    const none = (wrong: readonly [string, string][]) => {
      assert.deepEqual(wrong, []);
    };

    it('are complete', async () => {
      const texts = await load();
      assert.deepEqual(texts.map(([key]) => key).sort(), Object.keys(callTexts).sort());
    });

    it('are translated, and keep the placeholders', async () => {
      const texts = await load();
      none(texts.filter(([key, text]) => text === callTexts[key]));
      none(texts.filter(([, text]) => /\b(the|this|your?|please|with|again)\b/i.test(text)));
      none(texts.filter(([key, text]) => callTexts[key].includes('{name}') !== text.includes('{name}')));
    });

    it('are in the script of the language', async () => {
      const texts = await load();
      none(texts.filter(([, text]) => lettersOfOtherScripts(text.replace(isNoWord, ''), language) !== ''));
    });

    it('end with the punctuation of the English ones', async () => {
      const texts = await load();
      none(
        texts.filter(([key, text]) => sentenceEnd(text, language) !== sentenceEnd(callTexts[key], language)),
      );
    });

    it('have single spaces, only between words, and no straight quotes', async () => {
      const texts = await load();
      none(texts.filter(([, text]) => text !== text.trim() || /\s\s|["'`|]/.test(text)));
    });
  });
}
