import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Token, Tokens } from 'marked';
import { decodeEntities } from './decode-entities.ts';
import type { MarkdownContext } from './markdown.ts';
import { safeImage, safeLink } from './safe-address.ts';

type Content = TemplateResult | string | typeof nothing;

/** Renders inline tokens. */
export function inline(tokens: readonly Token[] | undefined, context: MarkdownContext): Content[] {
  return tokens?.map((token) => inlineToken(token, context)) ?? [];
}

function inlineToken(token: Token, context: MarkdownContext): Content {
  const content = (): Content[] => inline((token as Tokens.Generic).tokens, context);
  switch (token.type) {
    case 'strong':
      return html`<strong>${content()}</strong>`;
    case 'em':
      return html`<em>${content()}</em>`;
    case 'del':
      return html`<del>${content()}</del>`;
    case 'br':
      return html`<br />`;
    case 'codespan':
      return html`<code dir="ltr">${token['text']}</code>`;
    case 'link':
      return link((token as Tokens.Link).href, inline(token.tokens, { ...context, isInLink: true }), context);
    case 'image':
      return image(token as Tokens.Image, context);
    case 'checkbox':
      return nothing; // The list item renders it.
    default:
      // HTML in an answer is shown as text.
      return token.type === 'text' && (token as Tokens.Text).tokens !== undefined
        ? html`${content()}`
        : decodeEntities((token as Tokens.Text).text);
  }
}

function link(address: string, content: Content | Content[], { texts }: MarkdownContext): TemplateResult {
  const href = safeLink(decodeEntities(address));
  if (href === undefined) return html`${content}`;
  // Other programs open telephone numbers and e-mail addresses: the new tab would stay empty.
  const isPage = href.startsWith('http');
  return html`<a
    href=${href}
    title=${isPage ? texts.newTab : nothing}
    target=${isPage ? '_blank' : nothing}
    rel="noopener noreferrer nofollow ugc"
    >${content}</a
  >`;
}

/** Renders an image in a box of fixed size, so that nothing moves when it loads or fails. It links to the full size. */
function image({ href, text }: Tokens.Image, context: MarkdownContext): TemplateResult {
  const address = decodeEntities(href);
  const source = safeImage(address, context.imageOrigins);
  const shown =
    source === undefined
      ? text || address
      : html`<span class="image"
          ><img
            src=${source}
            alt=${decodeEntities(text)}
            loading="lazy"
            referrerpolicy="no-referrer"
            @load=${onEnd}
            @error=${onEnd}
          /><span aria-hidden="true">${decodeEntities(text) || address}</span></span
        >`;
  return context.isInLink ? html`${shown}` : link(address, shown, context);
}

/** Shows the alternative text of an image that failed to load. */
function onEnd({ currentTarget, type }: Event): void {
  (currentTarget as Element).toggleAttribute('data-broken', type === 'error');
}
