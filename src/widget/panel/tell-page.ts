import type { ConversationListener } from '../state/conversation.ts';
import { formKey } from './gate.ts';
import type { PanelReach } from './panel-reach.ts';

/**
 * Passes on to the page what happens in a conversation, and keeps no longer what was for its beginning.
 *
 * @param onHeard called when the assistant has said something new
 */
export function tellPage(
  { host: { dispatch }, storage }: PanelReach,
  onHeard: () => void,
): Omit<ConversationListener, 'onChange'> {
  return {
    onReady: (conversationId, resumed) => {
      // What the visitor filled in is the service's now.
      storage.removeItem(formKey);
      dispatch('chat-ready', { conversationId, resumed });
      if (!resumed) onHeard();
    },
    onSent: (text) => {
      dispatch('chat-sent', { text });
    },
    onAnswer: (text, latency) => {
      onHeard();
      dispatch('chat-message', { text, latency });
    },
    onProblem: ({ code, message }) => {
      dispatch('chat-error', { code, message });
    },
  };
}
