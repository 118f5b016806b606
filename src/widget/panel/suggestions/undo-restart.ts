import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Conversation } from '../../conversation/conversation.ts';
import { heardIn, type Choices } from '../../conversation/snapshot.ts';
import { focusPanel } from '../focus-panel.ts';
import type { PanelModel } from '../panel-model.ts';
import type { PanelReach } from '../panel-reach.ts';

/** The conversations that a click has left, and can go back to: until something is said in the new one. */
const left = new WeakMap<PanelReach, Left>();

interface Left {
  readonly conversation: Conversation;
  readonly id: string;
  readonly choices: Choices | undefined;
  /** How many messages that the visitor did not write were seen. */
  readonly seen: number;
}

/** Call before a conversation is left. One in which the visitor has said nothing is no loss. */
export function offerUndo(panel: PanelReach, conversation: Conversation): void {
  const { keptId, snapshot } = conversation;
  // Whoever clicks twice wants the last one that had something in it.
  if (keptId !== undefined && hasSaid(snapshot))
    left.set(panel, {
      conversation,
      id: keptId,
      choices: snapshot.choices,
      seen: heardIn(snapshot.messages) - snapshot.unread,
    });
}

export function withdrawUndo(panel: PanelReach): void {
  left.delete(panel);
}

/** Says that this is a new conversation, and takes that back. */
export function undoLine({ locale, panel, snapshot }: PanelModel): TemplateResult | typeof nothing {
  const texts = locale.texts;
  const { conversation, id, choices, seen } = left.get(panel) ?? {};
  if (conversation?.snapshot !== snapshot) return nothing;
  if (hasSaid(snapshot) || snapshot.conversationId === id) {
    withdrawUndo(panel);
    return nothing;
  }
  const undo = (): void => {
    withdrawUndo(panel);
    conversation.startOver(id, seen);
    conversation.choose({ ...choices });
    focusPanel(panel.container);
  };
  return html`<p part="undo" role="status">
    ${texts.newConversation} <button type="button" part="undo-button" @click=${undo}>${texts.undo}</button>
  </p>`;
}

function hasSaid({ messages }: Conversation['snapshot']): boolean {
  return messages.some(({ role }) => role === 'user');
}
