import type { TemplateResult } from 'lit/html.js';
import type { Message } from '../state/snapshot.ts';
import type { CoreTexts } from '../texts/texts.ts';
import type * as MarkdownModule from './markdown/markdown.ts';
import { isMarkdown } from './message-log.ts';
import type { MarkdownRenderer, PanelModel } from './panel-model.ts';

/** The parts of the panel that are loaded when they are first needed. */
export class LateParts {
  inspector: ((model: PanelModel) => TemplateResult) | undefined;
  readonly #onLoad: (css: string) => void;
  #markdown: typeof MarkdownModule.markdown | undefined;
  #renderer: { readonly texts: CoreTexts; readonly render: MarkdownRenderer } | undefined;
  readonly #loading = new Map<string, Promise<void>>();

  /** @param onLoad takes the styles of a part that has come */
  constructor(onLoad: (css: string) => void) {
    this.#onLoad = onLoad;
  }

  /** What a preview shows of the assistant's work. */
  loadInspector(): void {
    void this.#load('inspector', async () => {
      const { inspector, css } = await import('./inspector.ts');
      this.inspector = inspector;
      return css;
    });
  }

  /** What draws Markdown, with the first answer that has any. */
  async loadMarkdown(messages: readonly Message[]): Promise<void> {
    if (this.#markdown !== undefined || !messages.some(isMarkdown)) return;
    await this.#load('markdown', async () => {
      const { markdown, css } = await import('./markdown/markdown.ts');
      this.#markdown = markdown;
      return css;
    });
  }

  /** Draws a message's Markdown; undefined until that is loaded. The same texts give the same function. */
  markdownFor(texts: CoreTexts): MarkdownRenderer | undefined {
    const markdown = this.#markdown;
    if (markdown === undefined) return undefined;
    if (this.#renderer?.texts !== texts) {
      const context = { texts, imageOrigins: [] };
      const render: MarkdownRenderer = ({ key, text, status }) =>
        markdown(key, text, status === 'streaming', context);
      this.#renderer = { texts, render };
    }
    return this.#renderer.render;
  }

  #load(name: string, load: () => Promise<string>): Promise<void> {
    const loading =
      this.#loading.get(name) ??
      load().then(this.#onLoad, () => {
        // The panel works without it, and the next drawing tries again.
        this.#loading.delete(name);
      });
    this.#loading.set(name, loading);
    return loading;
  }
}
