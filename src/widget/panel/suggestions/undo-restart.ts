import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Bookmark, Conversation } from '../../conversation/conversation.ts';
import { focusPanel } from '../focus-panel.ts';
import type { PanelModel } from '../panel-model.ts';
import type { PanelReach } from '../panel-reach.ts';

/** The conversation that each panel can return to, until the visitor writes in the new one. */
const left = new WeakMap<PanelReach, Left>();

interface Left {
  readonly conversation: Conversation;
  readonly bookmark: Bookmark;
}

/** Call before a conversation is left. There is no undo for one in which the visitor has not written. */
export function offerUndo(panel: PanelReach, conversation: Conversation): void {
  const { bookmark, snapshot } = conversation;
  // After two restarts, undo returns to the last conversation with messages of the visitor.
  if (bookmark && hasSaid(snapshot)) left.set(panel, { conversation, bookmark });
}

export function withdrawUndo(panel: PanelReach): void {
  left.delete(panel);
}

/** The notice that a new conversation has started, with its undo button. */
export function undoLine({ locale, panel, snapshot }: PanelModel): TemplateResult | typeof nothing {
  const { texts } = locale;
  const { conversation, bookmark } = left.get(panel) ?? {};
  if (!bookmark || conversation?.snapshot !== snapshot) return nothing;
  if (hasSaid(snapshot) || snapshot.conversationId === bookmark.id) {
    withdrawUndo(panel);
    return nothing;
  }
  const undo = (): void => {
    withdrawUndo(panel);
    conversation.returnTo(bookmark);
    focusPanel(panel.container);
  };
  return html`<p part="undo" role="status">
    ${texts.newConversation} <button type="button" part="undo-button" @click=${undo}>${texts.undo}</button>
  </p>`;
}

function hasSaid({ messages }: Conversation['snapshot']): boolean {
  return messages.some(({ role }) => role === 'user');
}
