import { loadLocale, type Locale } from '../texts/texts.ts';

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

  /** Resolves when the texts are there. */
  follow(languages: readonly string[]): Promise<void> {
    const wanted = languages.join();
    if (wanted === this.#wanted) return this.#loading;
    this.#wanted = wanted;
    this.#loading = loadLocale(languages).then((locale) => {
      // Slow texts of a language that is no longer wanted come too late.
      if (wanted !== this.#wanted) return;
      this.locale = locale;
      this.#onChange();
    });
    return this.#loading;
  }
}
