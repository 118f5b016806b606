import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { Message } from '../../conversation/snapshot.ts';
import type { Locale, Texts } from '../../texts/texts.ts';
import type { Announcer } from '../announcer.ts';
import type { PanelContext } from '../panel-context.ts';
import chipsCss from '../above-composer/chips.css?inline';
import { chips } from '../above-composer/chips.ts';
import { answerBlocks } from './answer-blocks.ts';
import { block } from './block.ts';
import markdownCss from './markdown.css?inline';

export { answerBlocks };
export const css = markdownCss + chipsCss;

/** Renders an answer as Markdown. */
export type MarkdownRenderer = (message: Message, isLast?: boolean) => TemplateResult;

/** Everything that rendering a text depends on, apart from the text. */
export interface MarkdownContext {
  readonly texts: Texts;
  /** Origins that the site allows images from. */
  readonly imageOrigins: readonly string[];
  /** Whether the text is inside a link, which cannot contain another link. */
  readonly isInLink?: boolean;
  readonly announcer: Announcer;
  /** Sends a suggested reply. */
  readonly sendSuggestion: (text: string) => void;
}

interface KnownRenderer {
  readonly locale: Locale;
  readonly allowImages: string | null;
  readonly render: MarkdownRenderer;
}

const renderers = new WeakMap<PanelContext, KnownRenderer>();

/** Returns a panel's renderer; the same one for the same locale and options, since templates compare it. */
export function rendererFor(panel: PanelContext, locale: Locale): MarkdownRenderer {
  const { actions, announcer, host } = panel;
  const { allowImages } = host.element;
  const known = renderers.get(panel);
  if (known?.locale === locale && known.allowImages === allowImages) return known.render;
  const { texts } = locale;
  const imageOrigins = allowImages?.split(/\s+/) ?? [];
  const context = { texts, imageOrigins, announcer, sendSuggestion: actions.sendSuggestion };
  const render: MarkdownRenderer = (message, isLast = false) => markdown(message, isLast, context);
  renderers.set(panel, { locale, allowImages, render });
  return render;
}

/**
 * Renders Markdown as templates, never as HTML strings. Text that is too complex is shown as plain text.
 *
 * @param isLast whether it is the last message, so that its suggested replies can be sent
 */
function markdown({ key, text, status }: Message, isLast: boolean, context: MarkdownContext): TemplateResult {
  const answer = answerBlocks(key, text, status === 'streaming');
  if (answer === undefined) return html`<span class="text" dir="auto">${text}</span>`;
  const { blocks, replies } = answer;
  return html`<div class="markdown" dir="auto">
    ${blocks.map((token) => guard([token, context], () => block(token, context)))}
    ${isLast && replies.length > 0 ? chips(context.texts.suggestions, replies, context.sendSuggestion) : nothing}
  </div>`;
}
