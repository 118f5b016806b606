import { html, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { Texts } from '../../texts/texts.ts';
import { block } from './block.ts';
import { BlockLexer, lastBlock } from './block-lexer.ts';
import { heal } from './heal.ts';

/** What drawing a text depends on, apart from the text. */
export interface MarkdownContext {
  readonly texts: Texts;
  /** Origins that the site allows images from. */
  readonly imageOrigins: readonly string[];
}

/** Of answers that are still growing. */
const growing = new Map<string, BlockLexer>();

/**
 * Draws Markdown as templates, never as markup: CommonMark with GFM's tables, task lists, strikethrough and autolinks.
 *
 * @param key tells one growing text from another
 */
export function markdown(
  key: string,
  source: string,
  isGrowing: boolean,
  context: MarkdownContext,
): TemplateResult {
  const text = source.replace(/\r\n?/g, '\n');
  let tokens;
  if (isGrowing) {
    const lexer = growing.get(key) ?? new BlockLexer();
    growing.set(key, lexer);
    tokens = lexer.lex(text);
    const last = lastBlock(tokens);
    tokens = [...tokens.slice(0, last), ...BlockLexer.lexWhole(heal(tokens[last]?.raw ?? ''))];
  } else {
    growing.delete(key);
    tokens = BlockLexer.lexWhole(text);
  }
  return html`<div class="markdown" dir="auto">
    ${tokens.map((token) => guard([token, context], () => block(token, context)))}
  </div>`;
}
