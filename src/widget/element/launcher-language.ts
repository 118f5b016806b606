import { textDirection } from '../texts/text-direction.ts';
import type { Texts } from '../texts/texts.ts';
import { loadLocales } from './shell-modules.ts';
import { whenIdle } from './when-idle.ts';

/** The language, direction and texts of the launcher. Once the panel has loaded, it sets them itself. */
export interface LauncherLanguage {
  /** Empty for English, which is built in, and while the others load. */
  readonly texts: Partial<Texts>;
  /**
   * Sets the language and direction of `root`.
   *
   * @param element its attributes and surroundings decide, besides the assistant's `language`.
   */
  readonly follow: (element: HTMLElement, root: HTMLElement, language: unknown) => void;
}

/** @param onTexts is called when the texts of another language have loaded. */
export function createLauncherLanguage(onTexts: () => void): LauncherLanguage {
  let current = '';
  const launcherLanguage = {
    texts: {},
    follow(element: HTMLElement, root: HTMLElement, language: unknown): void {
      const around = element.closest<HTMLElement>('[lang]') ?? document.documentElement;
      const tag =
        element.lang || (typeof language === 'string' && language) || around.lang || navigator.language;
      root.lang = tag;
      root.dir = element.dir || textDirection(tag);
      if (tag === current) return;
      current = tag;
      launcherLanguage.texts = {};
      if (!/^en\b/i.test(tag))
        whenIdle(() => {
          loadLocales()
            .then(({ loadTexts }) => loadTexts(tag))
            .then(
              (locale) => {
                if (tag !== current || !locale) return;
                launcherLanguage.texts = locale.texts;
                onTexts();
              },
              () => {
                // The built-in texts stay.
              },
            );
        });
    },
  };
  return launcherLanguage;
}
