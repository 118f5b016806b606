import { withOwnTexts } from '../texts/own-texts.ts';
import { english, loadLocale, type Locale } from '../texts/texts.ts';
import type { ChatOptions } from './options.ts';

/** Milliseconds after which the panel shows in English, until the texts of its language load. */
const slowAfter = 3000;

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
   * Resolves when there are texts: those of the language, overridden by the site's own. English replaces a language that
   * cannot be loaded, or is slow and the first one. The next call requests one that failed again, and does not wait for it.
   */
  follow({ languages, ownTexts: own }: Pick<ChatOptions, 'languages' | 'ownTexts'>): Promise<void> {
    const wanted = languages.join() + JSON.stringify(own);
    const isOther = wanted !== this.#wanted;
    if (isOther || this.#hasFailed) {
      this.#wanted = wanted;
      this.#hasFailed = false;
      const use = (locale: Locale): void => {
        this.locale = own ? withOwnTexts(locale, own) : locale;
        // Follows the same language once more, or another one.
        this.#onChange();
      };
      const loading = loadLocale(languages).then((loaded) => {
        // Another language or other texts were requested meanwhile, and are being loaded.
        if (wanted !== this.#wanted) return this.#loading;
        this.#hasFailed = false;
        use(loaded ?? english);
        this.#hasFailed = !loaded && wanted === this.#wanted;
        return undefined;
      });
      const slow = new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          if (!this.locale && wanted === this.#wanted) use(english);
          resolve();
        }, slowAfter);
        void loading.then(() => {
          clearTimeout(timer);
        });
      });
      if (isOther) this.#loading = Promise.race([loading, slow]);
    }
    return this.#loading;
  }
}
