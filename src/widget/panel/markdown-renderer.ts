import type { Locale } from '../texts/texts.ts';
import type { ChatOptions } from './options.ts';
import type { LazyModule } from './parts/lazy-modules.ts';
import type { MarkdownRenderer } from './panel-model.ts';
import type { PanelReach } from './panel-reach.ts';

/** Creates the function that draws Markdown. It stays the same for the same locale and options, since lists compare it. */
export class MarkdownRendererSource {
  #locale: Locale | undefined;
  #allowImages: string | null | undefined;
  #render: MarkdownRenderer | undefined;

  get(
    part: LazyModule<'markdown'> | undefined,
    locale: Locale,
    { allowImages }: ChatOptions,
    panel: PanelReach,
  ): MarkdownRenderer | undefined {
    if (part === undefined) return undefined;
    if (this.#render === undefined || this.#locale !== locale || this.#allowImages !== allowImages) {
      this.#locale = locale;
      this.#allowImages = allowImages;
      const context = { texts: locale.texts, imageOrigins: allowImages?.split(/\s+/) ?? [], panel };
      this.#render = ({ key, text, status }, isLast = false) =>
        part.markdown(key, text, status === 'streaming', isLast, context);
    }
    return this.#render;
  }
}
