import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { en } from '../../../src/widget/texts/en.ts';
import { languages, loadTexts } from '../../../src/widget/texts/locales.ts';
import type { Locale, Plural } from '../../../src/widget/texts/texts.ts';
import { repository } from '../../support/repository.ts';
import { lettersOfOtherScripts, scriptOf } from './script.ts';
import { sentenceEnd } from './sentence-end.ts';

const english: Readonly<Record<string, string | Plural>> = en;

/** Words that are the same in English and in that language, by the key of their text. */
const sameAsEnglish: Readonly<Record<string, readonly string[]>> = {
  af: ['stop'],
  ca: ['no'],
  cs: ['chat'],
  da: ['chat', 'send', 'stop'],
  de: ['chat'],
  es: ['chat', 'no'],
  fi: ['chat'],
  fil: ['chat'],
  fr: ['messages'],
  it: ['chat', 'no'],
  nb: ['chat', 'send'],
  nl: ['chat'],
  pt: ['chat', 'continue'],
  'pt-br': ['chat', 'continue'],
  ro: ['chat'],
  sk: ['chat'],
};

/** The parts of a text that are the same in all languages: names of a format and an attribute, and placeholders. */
const isNoWord = /\{\w+\}|JSON|assistant-id/g;

it('has 64 languages, and loads each of them', () => {
  const files = readdirSync(join(repository, 'src/widget/texts/locales')).map((name) => name.slice(0, -3));
  assert.deepEqual([...languages].sort(), files.sort());
  assert.equal(languages.length + 1, 64);
});

for (const language of languages) {
  describe(`the texts in ${new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language}`, () => {
    let locale: Locale;
    /** Every text with its key and its English original; each plural form is one entry. */
    let all: { key: string; text: string; original: string }[];
    before(async () => {
      const loaded = await loadTexts(language);
      assert.ok(loaded);
      locale = loaded;
      all = Object.entries<string | Plural>(loaded.texts).flatMap(([key, value]) => {
        const original = english[key] ?? '';
        return typeof value === 'string'
          ? [{ key, text: value, original: original as string }]
          : Object.entries(value).map(([form, text]) => ({
              key: `${key}.${form}`,
              text,
              original: (original as Plural).other,
            }));
      });
    });

    /** Expects nothing of a list of texts at fault. */
    const none = (wrong: typeof all) => {
      assert.deepEqual(
        wrong.map(({ key, text }) => `${key}: ${text}`),
        [],
      );
    };

    it('are complete', () => {
      assert.deepEqual(Object.keys(locale.texts).sort(), Object.keys(english).sort());
      none(all.filter(({ text }) => text === ''));
    });

    it('have the placeholders of the English texts', () => {
      const places = (text: string) => (text.match(/\{\w*\}?/g) ?? []).sort().join();
      // A form for one or two things may say the number in a word.
      const mayMiss = (key: string) => /\.(zero|one|two)$/.test(key);
      none(
        all.filter(
          ({ key, text, original }) =>
            places(text) !== places(original) && !(mayMiss(key) && places(text) === ''),
        ),
      );
    });

    it('have every plural form of the language, and no other', () => {
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const [key, value] of Object.entries<string | Plural>(locale.texts)) {
        assert.equal(typeof value, typeof english[key]);
        if (typeof value !== 'string') assert.deepEqual(Object.keys(value).sort(), [...forms].sort());
      }
    });

    it('contain no English', () => {
      const allowed = sameAsEnglish[language] ?? [];
      const same = all.filter(({ text, original }) => text === original).map(({ key }) => key);
      assert.deepEqual(same, allowed);
      // Words that no language besides English writes like this.
      none(all.filter(({ text }) => /\b(the|this|your?|please|with|again)\b/i.test(text)));
    });

    it('are in the script of the language', () => {
      none(all.filter(({ text }) => lettersOfOtherScripts(text.replace(isNoWord, ''), language) !== ''));
    });

    it('end with the punctuation of the English ones', () => {
      none(
        all.filter(({ text, original }) => sentenceEnd(text, language) !== sentenceEnd(original, language)),
      );
    });

    it('have single spaces, only between words, and no straight quotes', () => {
      none(all.filter(({ text }) => text !== text.trim() || /\s\s|["'`|]/.test(text)));
    });

    it('are written in the direction of the script', () => {
      const expected = ['Arab', 'Hebr'].includes(scriptOf(language)) ? 'rtl' : 'ltr';
      assert.equal(locale.direction, expected);
    });
  });
}
