import type { Texts } from '../texts/texts.ts';
import { loadLocales } from './shell-modules.ts';
import { whenIdle } from './when-idle.ts';

/** The language, direction and texts of the launcher. Once the panel has loaded, it sets them itself. */
export class LauncherLanguage {
  /** Empty for English, which is built in, and while the others load. */
  texts: Partial<Texts> = {};
  #tag = '';

  /**
   * Sets the language and direction of `root`.
   *
   * @param element whose attributes and surroundings decide, after the assistant's language.
   * @param onTexts is called when the texts of another language have loaded.
   */
  follow(element: HTMLElement, root: HTMLElement, language: unknown, onTexts: () => void): void {
    const around = element.closest<HTMLElement>('[lang]') ?? document.documentElement;
    const tag =
      element.lang || (typeof language === 'string' && language) || around.lang || navigator.language;
    root.lang = tag;
    root.dir = element.dir || (/^(ar|fa|he|iw|prs|ur)\b/i.test(tag) ? 'rtl' : 'ltr');
    if (tag === this.#tag) return;
    this.#tag = tag;
    this.texts = {};
    if (/^en\b/i.test(tag)) return;
    whenIdle(() => {
      loadLocales()
        .then(({ loadTexts }) => loadTexts(tag))
        .then(
          (locale) => {
            if (tag !== this.#tag || !locale) return;
            this.texts = locale.texts;
            onTexts();
          },
          () => {
            // The built-in texts stay.
          },
        );
    });
  }
}
