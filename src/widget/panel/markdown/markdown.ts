import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { Token } from 'marked';
import type { Texts } from '../../texts/texts.ts';
import type { PanelReach } from '../panel-reach.ts';
import chipsCss from '../suggestions/chips.css?inline';
import { chips } from '../suggestions/chips.ts';
import { block } from './block.ts';
import { BlockLexer, lastBlock } from './block-lexer.ts';
import { heal } from './heal.ts';
import markdownCss from './markdown.css?inline';
import { mayBeReplies, repliesIn } from './replies.ts';

export { allTexts } from '../../texts/all-texts.ts';
export const css = markdownCss + chipsCss;

/** What drawing a text depends on, apart from the text. */
export interface MarkdownContext {
  readonly texts: Texts;
  /** Origins that the site allows images from. */
  readonly imageOrigins: readonly string[];
  /** Whether the text is a link's own, in which no other link can be. */
  readonly isInLink?: boolean;
  /** Where what an answer suggests is sent. */
  readonly panel: PanelReach;
}

/** Of answers that are still growing. */
const growing = new Map<string, BlockLexer>();

/** How deep quotes and lists may stand in one another. Deeper ones are no writing, and would exhaust the stack. */
const deepest = 24;

/**
 * Draws Markdown as templates, never as markup: CommonMark with GFM's tables, task lists, strikethrough and autolinks.
 * What cannot be drawn shows as plain text.
 *
 * @param key tells one growing text from another
 * @param isLast whether nothing comes after it: then what it suggests can be said
 */
export function markdown(
  key: string,
  source: string,
  isGrowing: boolean,
  isLast: boolean,
  context: MarkdownContext,
): TemplateResult {
  try {
    const tokens = isGrowing ? grow(key, clean(source)) : BlockLexer.lexWhole(clean(source));
    if (!isGrowing) growing.delete(key);
    if (!isDeeperThan(deepest, tokens)) {
      const replies = isGrowing ? [] : repliesIn(tokens);
      const shown = replies.length > 0 ? tokens.slice(0, lastBlock(tokens)) : tokens;
      return html`<div class="markdown" dir="auto">
        ${shown.map((token) => guard([token, context], () => block(token, context)))}
        ${isLast && replies.length > 0 ? chips(context.texts.suggestions, replies, context.panel) : nothing}
      </div>`;
    }
  } catch {
    // The lexer recurses too: nesting can exhaust the stack before it can be counted.
  }
  return html`<span class="text" dir="auto">${source}</span>`;
}

function clean(source: string): string {
  return source.replace(/\r\n?/g, '\n');
}

function grow(key: string, text: string): readonly Token[] {
  const lexer = growing.get(key) ?? new BlockLexer();
  growing.set(key, lexer);
  const tokens = lexer.lex(text);
  const last = lastBlock(tokens);
  const raw = tokens[last]?.raw ?? '';
  const settled = tokens.slice(0, last);
  return mayBeReplies(raw) ? settled : [...settled, ...BlockLexer.lexWhole(heal(raw))];
}

/** Tokens whose nesting was looked at before: settled blocks come again with every piece. */
const shallow = new WeakSet<Token>();

function isDeeperThan(levels: number, tokens: readonly Token[]): boolean {
  return tokens.some((token) => {
    if (shallow.has(token)) return false;
    const { tokens: inner = [], items = [] } = token as { tokens?: Token[]; items?: Token[] };
    if (levels === 0 || isDeeperThan(levels - 1, [...inner, ...items])) return true;
    shallow.add(token);
    return false;
  });
}
