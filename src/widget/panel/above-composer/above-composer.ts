import { html, nothing, type TemplateResult } from 'lit/html.js';
import { limits } from '../../../contract/limits.ts';
import type { Texts } from '../../texts/texts.ts';
import type { PanelContext } from '../panel-context.ts';
import { warnOnce } from '../../warn-once.ts';
import aboveComposerCss from './above-composer.css?inline';
import chipsCss from './chips.css?inline';
import { chips } from './chips.ts';
import { undoNotice } from './undo-restart.ts';

export { deleteLeft, offerUndo } from './undo-restart.ts';

export const css = chipsCss + aboveComposerCss;

/** The maximum number of suggestions. */
const maxSuggestions = 8;

/** The area between messages and composer: handoff notice, undo, and suggested messages. */
export function aboveComposer(panel: PanelContext, texts: Texts): TemplateResult {
  const { aiEnabled, messages } = panel.conversation.snapshot;
  const suggestions = suggestionsFor(panel);
  const undo = undoNotice(panel, texts);
  const isBack = messages.at(-1)?.event === 'person_left';
  // The messages end with the same sentence until the person writes.
  const isSaid =
    messages.findLast(({ event, role }) => event ?? role === 'assistant')?.event === 'handed_over';
  const isVisible = !aiEnabled && !isSaid;
  // Both are in the page before their text, so that screen readers announce it. The return of the assistant shows in the
  // messages.
  return html`<p
      part=${isVisible ? 'person' : nothing}
      class=${isVisible ? nothing : 'visually-hidden'}
      role="status"
    >
      ${aiEnabled ? (isBack ? texts.personLeft : nothing) : texts.person}
    </p>
    <p part=${undo ? 'undo' : nothing} class=${undo ? nothing : 'visually-hidden'} role="status">${undo}</p>
    ${
      suggestions.length > 0
        ? html`<div class="suggested">
            ${chips(texts.suggestions, suggestions, panel.actions.sendSuggestion)}
          </div>`
        : nothing
    }`;
}

interface Offer {
  readonly conversationId: string | undefined;
  /** The suggestions as JSON, since a page that renders again may pass the same ones in a new array. */
  readonly key: string;
  /** The number of the visitor's messages when the suggestions were set. */
  readonly sent: number;
}

const offers = new WeakMap<HTMLElement, Offer>();

/** Suggestions are shown until the visitor writes; changed ones are shown again. */
function suggestionsFor({ host: { element }, conversation }: PanelContext): readonly string[] {
  const { conversationId, messages, status } = conversation.snapshot;
  if (status !== 'ready') return [];
  const suggestions = validSuggestions(element.suggestions);
  const key = JSON.stringify(suggestions);
  const sent = messages.filter(({ role }) => role === 'user').length;
  const last = offers.get(element);
  const known = last?.conversationId === conversationId ? last : undefined;
  // The first suggestions are for visitors who have not written yet, now or at an earlier visit.
  const offer = known?.key === key ? known : { conversationId, key, sent: known ? sent : 0 };
  offers.set(element, offer);
  return sent <= offer.sent ? suggestions : [];
}

function validSuggestions(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isValid = (text: unknown): text is string =>
    typeof text === 'string' && text.trim() !== '' && text.length <= limits.message.max;
  const valid = all.filter(isValid);
  if (!Array.isArray(value) || valid.length < all.length || all.length > maxSuggestions) {
    warnOnce(
      `suggestions: use an array of at most ${maxSuggestions} texts of 1 to ${limits.message.max} characters. Others are left out.`,
    );
  }
  return Array.isArray(value) ? valid.slice(0, maxSuggestions) : [];
}
