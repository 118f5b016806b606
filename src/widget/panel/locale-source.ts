import { withOwnTexts } from '../texts/own-texts.ts';
import { english, loadLocale, type Locale } from '../texts/texts.ts';
import type { ChatOptions } from './options.ts';

/** Loads the texts of the first available language among those requested. */
export class LocaleSource {
  /** Undefined until the first texts have loaded, to avoid a flash of another language. */
  locale: Locale | undefined;
  readonly #onChange: () => void;
  #wanted: string | undefined;
  #hasFailed = false;
  #loading: Promise<void> = Promise.resolve();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Resolves when the texts have loaded: those of the language, overridden by the site's own. English replaces a language
   * that failed to load, until an attempt of a later call succeeds.
   */
  follow({ languages, ownTexts: own }: Pick<ChatOptions, 'languages' | 'ownTexts'>): Promise<void> {
    const wanted = languages.join() + JSON.stringify(own);
    if (wanted !== this.#wanted) {
      this.#wanted = wanted;
      this.#loading = this.#load(wanted, languages, own);
    } else if (this.#hasFailed) void this.#load(wanted, languages, own);
    return this.#loading;
  }

  async #load(wanted: string, languages: readonly string[], own: ChatOptions['ownTexts']): Promise<void> {
    this.#hasFailed = false;
    let hasFailed = false;
    const loaded = await loadLocale(languages).catch(() => {
      hasFailed = true;
      return english;
    });
    const locale = own ? withOwnTexts(loaded, own) : loaded;
    // Another language or other texts were requested meanwhile, and are being loaded.
    if (wanted !== this.#wanted) return this.#loading;
    this.locale = locale;
    // Follows the same language again.
    this.#onChange();
    this.#hasFailed = hasFailed;
    return undefined;
  }
}
