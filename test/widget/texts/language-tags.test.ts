import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadTexts } from '../../../src/widget/texts/locales.ts';
import { english, loadLocale } from '../../../src/widget/texts/texts.ts';

describe('the texts for a language tag', () => {
  for (const [tag, language] of [
    ['de', 'de'],
    ['de-AT', 'de'],
    ['de_CH', 'de'],
    ['DE-de-x-private', 'de'],
    ['pt-BR', 'pt-br'],
    ['pt-PT', 'pt'],
    ['zh', 'zh'],
    ['zh-CN', 'zh'],
    ['zh-Hans-HK', 'zh'],
    ['zh-TW', 'zh-tw'],
    ['zh-HK', 'zh-tw'],
    ['zh-Hant', 'zh-tw'],
    ['zh-Hant-MO', 'zh-tw'],
    ['no', 'nb'],
    ['nn-NO', 'nb'],
    ['iw', 'he'],
    ['in-ID', 'id'],
    ['tl-PH', 'fil'],
    ['fa-AF', 'fa'],
  ] as const) {
    it(`${tag} are those of ${language}`, async () => {
      assert.equal((await loadTexts(tag))?.language, language);
    });
  }

  for (const tag of ['', 'x', 'tlh', 'constructor', '__proto__', 'd-e', '-de', '*']) {
    it(`"${tag}" do not exist`, async () => {
      assert.equal(await loadTexts(tag), undefined);
    });
  }
});

describe('texts for several languages', () => {
  it('are those of the first available language', async () => {
    assert.equal((await loadLocale(['tlh', 'fr-CA', 'de']))?.language, 'fr');
  });

  it('are English if English comes first, with any region', async () => {
    assert.equal((await loadLocale(['en-GB', 'de']))?.texts, english.texts);
  });

  it('come with the language of times and dates, which has the region', async () => {
    const formats = async (tag: string): Promise<unknown> => (await loadLocale([tag]))?.formats;
    assert.deepEqual(await formats('en-GB'), ['en-GB', 'en']);
    assert.deepEqual(await formats('de_CH'), ['de-CH', 'de']);
    assert.deepEqual(await formats('zh-HK'), ['zh-HK', 'zh-tw']);
    assert.deepEqual(await formats('en-no-valid--tag'), ['en']);
    assert.deepEqual(await formats('sr-Latn-RS'), ['sr']);
  });

  it('come with the region of the page if the assistant has none', async () => {
    const formats = async (...tags: string[]): Promise<unknown> => (await loadLocale(tags))?.formats;
    assert.deepEqual(await formats('en', 'en-GB', 'en-US'), ['en-GB', 'en']);
    assert.deepEqual(await formats('de', 'fr-CA', 'de-AT'), ['de-AT', 'de']);
    assert.deepEqual(await formats('de', 'en-US'), ['de']);
  });

  it('are English if none is available', async () => {
    assert.equal(await loadLocale(['tlh', '']), english);
  });
});
