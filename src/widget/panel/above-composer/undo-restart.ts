import { html, type TemplateResult } from 'lit/html.js';
import type { Bookmark, Conversation } from '../../conversation/conversation.ts';
import type { Texts } from '../../texts/texts.ts';
import type { PanelContext } from '../panel-context.ts';

/** The conversation that each panel can return to, until the visitor writes in the new one. */
const leftConversations = new WeakMap<PanelContext, LeftConversation>();

interface LeftConversation {
  readonly conversation: Conversation;
  readonly bookmark: Bookmark;
}

/** Call before a conversation is left. There is no undo for a conversation without messages of the visitor. */
export function offerUndo(panel: PanelContext): void {
  const { conversation } = panel;
  const { bookmark, snapshot } = conversation;
  // After two restarts, undo returns to the last conversation with messages of the visitor.
  if (bookmark && hasUserMessages(snapshot)) leftConversations.set(panel, { conversation, bookmark });
}

function withdrawUndo(panel: PanelContext): void {
  leftConversations.delete(panel);
}

/** Withdraws the undo, and requests the deletion of the conversation that it would have returned to. */
export function deleteLeft(panel: PanelContext): void {
  const { conversation, bookmark } = leftConversations.get(panel) ?? {};
  // The conversation of another visitor stays.
  if (conversation === panel.conversation)
    conversation.environment.pendingDeletions.requestDeletion(bookmark?.conversationId);
  withdrawUndo(panel);
}

/** The text that a new conversation has started, and its undo button. */
export function undoNotice(panel: PanelContext, texts: Texts): TemplateResult | undefined {
  const { conversation, bookmark } = leftConversations.get(panel) ?? {};
  if (!bookmark || conversation !== panel.conversation) return undefined;
  const { snapshot } = conversation;
  if (hasUserMessages(snapshot) || snapshot.conversationId === bookmark.conversationId) {
    withdrawUndo(panel);
    return undefined;
  }
  const undo = (): void => {
    withdrawUndo(panel);
    conversation.returnTo(bookmark);
  };
  return html`${texts.newConversation}
    <button type="button" part="undo-button" @click=${undo}>${texts.undo}</button>`;
}

function hasUserMessages({ messages }: Conversation['snapshot']): boolean {
  return messages.some(({ role }) => role === 'user');
}
