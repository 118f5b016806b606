import type { TemplateResult } from 'lit/html.js';
import type { Message } from '../conversation/snapshot.ts';
import type { Locale } from '../texts/texts.ts';
import type { ChatOptions } from './options.ts';
import type { LazyModule } from './modules/lazy-modules.ts';
import type { PanelContext } from './panel-context.ts';

/** Renders an answer as Markdown; loaded with the first answer that contains any. */
export type MarkdownRenderer = (message: Message, isLast?: boolean) => TemplateResult;

/**
 * Creates the function that renders Markdown; the same one for the same locale and options, since templates compare it.
 */
export class MarkdownRendererSource {
  #locale: Locale | undefined;
  #allowImages: string | null | undefined;
  #render: MarkdownRenderer | undefined;

  get(
    part: LazyModule<'markdown'> | undefined,
    locale: Locale,
    { allowImages }: ChatOptions,
    { actions, announcer }: PanelContext,
  ): MarkdownRenderer | undefined {
    if (part === undefined) return undefined;
    if (this.#render === undefined || this.#locale !== locale || this.#allowImages !== allowImages) {
      this.#locale = locale;
      this.#allowImages = allowImages;
      const { sendSuggestion } = actions;
      const imageOrigins = allowImages?.split(/\s+/) ?? [];
      const context = { texts: locale.texts, imageOrigins, announcer, sendSuggestion };
      this.#render = ({ key, text, status }, isLast = false) =>
        part.markdown(key, text, status === 'streaming', isLast, context);
    }
    return this.#render;
  }
}
