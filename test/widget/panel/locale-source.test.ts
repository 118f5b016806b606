import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { describe, it } from 'node:test';

// German cannot be downloaded.
registerHooks({
  load(url, context, next) {
    if (url.includes('/locales/de.ts')) throw new Error('There is no connection.');
    return next(url, context);
  },
});
const { LocaleSource } = await import('../../../src/widget/panel/locale-source.ts');

const german = { languages: ['de'], ownTexts: undefined };
const french = { languages: ['fr'], ownTexts: undefined };

describe('the texts of the panel', () => {
  it('are in the language that is wanted when the one before it fails', async () => {
    let wanted = german;
    const source = new LocaleSource(() => {
      void source.follow(wanted);
    });
    const loading = source.follow(wanted);
    // As when the page changes the language of the document, which only an update of the chat notices.
    wanted = french;
    await loading;
    await source.follow(wanted);
    assert.equal(source.locale?.language, 'fr');
  });

  it('are in English if a language fails that was wanted before and after another one', async () => {
    const source = new LocaleSource(() => {
      void source.follow(german);
    });
    await Promise.all([german, french, german].map((options) => source.follow(options)));
    assert.equal(source.locale?.language, 'en');
  });

  it('are in English until a slow language has loaded', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const languages: unknown[] = [];
    const loaded = Promise.withResolvers<undefined>();
    const source = new LocaleSource(() => {
      languages.push(source.locale?.language);
      if (languages.length === 2) loaded.resolve(undefined);
    });
    const following = source.follow(french);
    test.mock.timers.tick(3000);
    await following;
    assert.equal(source.locale?.language, 'en');
    await loaded.promise;
    assert.deepEqual(languages, ['en', 'fr']);
  });

  it('are not in English because a language was slow that is no longer wanted', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const source = new LocaleSource(() => undefined);
    void source.follow(french);
    test.mock.timers.tick(2900);
    void source.follow({ languages: ['nl'], ownTexts: undefined });
    test.mock.timers.tick(100);
    assert.equal(source.locale, undefined);
  });
});
