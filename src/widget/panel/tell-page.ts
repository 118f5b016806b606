import type { ConversationListener } from '../state/conversation.ts';
import type { PanelHost } from './panel-host.ts';

/**
 * Passes on to the page what happens in a conversation.
 *
 * @param onHeard called when the assistant has said something new
 */
export function tellPage(
  { dispatch }: PanelHost,
  onHeard: () => void,
): Omit<ConversationListener, 'onChange'> {
  return {
    onReady: (conversationId, resumed) => {
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
