import { countCharacters, limits } from '../../contract/limits.ts';
import type { Conversation } from '../state/conversation.ts';
import type { PanelReach } from './panel-reach.ts';

/** Sends a text as the visitor; false where it cannot be, and waits in the composer or nowhere. */
export function sendText(
  { draw, gate, host }: PanelReach,
  conversation: Conversation,
  text: string,
): boolean {
  if (text.trim() === '') return false;
  if (countCharacters(text) > limits.message.max || gate.isClosed) {
    // It is the visitor's to shorten, and the composer explains; or to send when they may.
    conversation.draft = text;
    draw();
    return false;
  }
  if (!host.dispatch('chat-send', { text })) return false;
  if (text === conversation.draft) conversation.draft = '';
  conversation.send(text);
  return true;
}
