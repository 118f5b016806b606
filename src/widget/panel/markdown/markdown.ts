import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { Texts } from '../../texts/texts.ts';
import type { Announcer } from '../announcer.ts';
import chipsCss from '../suggestions/chips.css?inline';
import { chips } from '../suggestions/chips.ts';
import { answerBlocks } from './answer-blocks.ts';
import { block } from './block.ts';
import markdownCss from './markdown.css?inline';

export { answerBlocks };
export const css = markdownCss + chipsCss;

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

/**
 * Renders Markdown as templates, never as HTML strings. Text that is too complex is shown as plain text.
 *
 * @param key identifies the message, whose text grows from call to call
 * @param isLast whether it is the last message, so that its suggested replies can be sent
 */
export function markdown(
  key: string,
  source: string,
  isGrowing: boolean,
  isLast: boolean,
  context: MarkdownContext,
): TemplateResult {
  const answer = answerBlocks(key, source, isGrowing);
  if (answer === undefined) return html`<span class="text" dir="auto">${source}</span>`;
  const { blocks, replies } = answer;
  return html`<div class="markdown" dir="auto">
    ${blocks.map((token) => guard([token, context], () => block(token, context)))}
    ${isLast && replies.length > 0 ? chips(context.texts.suggestions, replies, context.sendSuggestion) : nothing}
  </div>`;
}
