import type { CoreTexts } from '../texts/texts.ts';
import type { ChatOptions } from './options.ts';
import type { LatePart } from './late-parts.ts';
import type { MarkdownRenderer } from './panel-model.ts';

/** Makes what draws Markdown of the part that can. The same texts and options give the same function: lists compare it. */
export class MarkdownRendererSource {
  #texts: CoreTexts | undefined;
  #allowImages: string | null | undefined;
  #render: MarkdownRenderer | undefined;

  get(
    part: LatePart<'markdown'> | undefined,
    texts: CoreTexts,
    { allowImages }: ChatOptions,
  ): MarkdownRenderer | undefined {
    if (part === undefined) return undefined;
    if (this.#render === undefined || this.#texts !== texts || this.#allowImages !== allowImages) {
      this.#texts = texts;
      this.#allowImages = allowImages;
      const context = { texts, imageOrigins: allowImages?.split(/\s+/) ?? [] };
      this.#render = ({ key, text, status }) => part.markdown(key, text, status === 'streaming', context);
    }
    return this.#render;
  }
}
