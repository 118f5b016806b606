import { showCopied } from '../copying/show-copied.ts';
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Token, Tokens } from 'marked';
import { inline } from './inline.ts';
import type { MarkdownContext } from './markdown.ts';

/** Renders one block. */
export function block(token: Token, context: MarkdownContext): TemplateResult | typeof nothing {
  switch (token.type) {
    case 'space':
    case 'def':
      return nothing;
    case 'heading':
      return heading(token as Tokens.Heading, context);
    case 'code':
      return code(token as Tokens.Code, context);
    case 'blockquote':
      return html`<blockquote>${blocks((token as Tokens.Blockquote).tokens, context)}</blockquote>`;
    case 'list':
      return list(token as Tokens.List, context);
    case 'table':
      return table(token as Tokens.Table, context);
    case 'hr':
      return html`<hr />`;
    case 'text':
      return html`${inline((token as Tokens.Text).tokens ?? [token], context)}`;
    case 'html':
      return html`<p class="text">${(token as Tokens.HTML).text}</p>`;
    default:
      return html`<p>${inline((token as Tokens.Paragraph).tokens, context)}</p>`;
  }
}

function blocks(tokens: readonly Token[] | undefined, context: MarkdownContext): unknown[] {
  return tokens?.map((token) => block(token, context)) ?? [];
}

/** Renders a heading, from `h3` on, since the panel's own heading is an `h2`. */
function heading({ depth, tokens }: Tokens.Heading, context: MarkdownContext): TemplateResult {
  const content = inline(tokens, context);
  if (depth === 1) return html`<h3>${content}</h3>`;
  if (depth === 2) return html`<h4>${content}</h4>`;
  return html`<h5>${content}</h5>`;
}

function code({ text, lang }: Tokens.Code, { texts, announcer }: MarkdownContext): TemplateResult {
  // Only secure contexts have a clipboard, despite the types.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  const copy = ({ currentTarget }: Event): void => {
    const button = currentTarget as HTMLElement;
    let shown: string | undefined;
    void showCopied((clipboard as Clipboard).writeText(text), button, announcer, texts, (next) => {
      // The language may have changed meanwhile.
      if (next !== undefined || button.textContent === shown) button.textContent = next ?? texts.copy;
      shown = next;
    });
  };
  return html`<figure part="code">
    <figcaption>
      <span>${lang?.split(/\s/)[0]}</span>
      ${clipboard ? html`<button type="button" @click=${copy} .textContent=${texts.copy}></button>` : nothing}
    </figcaption>
    <pre dir="ltr" tabindex="0"><code>${text}</code></pre>
  </figure>`;
}

function list({ ordered, start, items }: Tokens.List, context: MarkdownContext): TemplateResult {
  const rendered = items.map(
    ({ task, checked, tokens }) =>
      html`<li class=${task ? 'task' : ''}>
        ${
          task
            ? html`<input
                type="checkbox"
                disabled
                .checked=${checked ?? false}
                aria-label=${context.texts.task}
              /> `
            : nothing
        }${blocks(
          tokens.filter(({ type }) => type !== 'checkbox'),
          context,
        )}
      </li>`,
  );
  // The numbers stand left of the text; longer ones need more room.
  const digits = String(Number(start) + items.length - 1).length;
  return ordered
    ? html`<ol start=${start} .style=${`padding-inline-start:max(22px,${digits}ch + 8px)`}>
        ${rendered}
      </ol>`
    : html`<ul>
        ${rendered}
      </ul>`;
}

function table({ header, rows }: Tokens.Table, context: MarkdownContext): TemplateResult {
  // A short cell has one line, so that prices and dates stay whole.
  const classOf = ({ align, text }: Tokens.TableCell): string =>
    `${align ?? ''} ${text.length > 16 ? 'long' : ''}`;
  return html`<div class="table" tabindex="0" role="region" aria-label=${context.texts.table}>
    <table>
      <thead>
        <tr>
          ${header.map((cell) => html`<th class=${classOf(cell)}>${inline(cell.tokens, context)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td class=${classOf(cell)}>${inline(cell.tokens, context)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
