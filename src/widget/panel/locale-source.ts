import { withOwnTexts } from '../texts/own-texts.ts';
import { english, loadLocale, type Locale } from '../texts/texts.ts';
import type { ChatOptions } from './options.ts';

/** Loads the texts of the first available language among those requested. */
export class LocaleSource {
  /** Undefined until the first texts have loaded, to avoid a flash of another language. */
  locale: Locale | undefined;
  readonly #onChange: () => void;
  #wanted: string | undefined;
  #loading: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Resolves when the texts have loaded: those of the language, overridden by the site's own. English replaces a language
   * that cannot be loaded. The next call requests it again, and does not wait for it.
   */
  follow({ languages, ownTexts: own }: Pick<ChatOptions, 'languages' | 'ownTexts'>): Promise<void> {
    const wanted = languages.join() + JSON.stringify(own);
    const isOther = wanted !== this.#wanted;
    if (isOther || this.#hasFailed) {
      this.#wanted = wanted;
      this.#hasFailed = false;
      const loading = loadLocale(languages).then((loaded) => {
        // Another language or other texts were requested meanwhile, and are being loaded.
        if (wanted !== this.#wanted) return this.#loading;
        const locale = loaded ?? english;
        this.locale = own ? withOwnTexts(locale, own) : locale;
        this.#hasFailed = false;
        // Follows the same language once more, or another one.
        this.#onChange();
        this.#hasFailed = !loaded && wanted === this.#wanted;
        return undefined;
      });
      if (isOther) this.#loading = loading;
    }
    return this.#loading;
  }
}
