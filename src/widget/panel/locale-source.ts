import { withOwnTexts } from '../texts/own-texts.ts';
import { loadLocale, type Locale } from '../texts/texts.ts';
import type { ChatOptions } from './options.ts';

/** Follows the languages that are wanted, and has the texts of the first one that there are any for. */
export class LocaleSource {
  /** Undefined until the first texts are there: a flash of another language helps nobody. */
  locale: Locale | undefined;
  readonly #onChange: () => void;
  #wanted: string | undefined;
  #loading: Promise<void> = Promise.resolve();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Resolves when the texts are there: the site's own, laid over those of the language. */
  follow({ languages, ownTexts: own }: Pick<ChatOptions, 'languages' | 'ownTexts'>): Promise<void> {
    const wanted = languages.join() + JSON.stringify(own);
    if (wanted === this.#wanted) return this.#loading;
    this.#wanted = wanted;
    this.#loading = loadLocale(languages)
      .then((locale) => (own ? withOwnTexts(locale, own) : locale))
      .then((locale) => {
        // Slow texts of a language that is no longer wanted arrive too late: others are being loaded.
        if (wanted !== this.#wanted) return this.#loading;
        this.locale = locale;
        this.#onChange();
        return undefined;
      });
    return this.#loading;
  }
}
