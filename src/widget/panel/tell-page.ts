import type { ConversationListener } from '../state/conversation.ts';
import type { PanelHost } from './panel-host.ts';

/**
 * Passes on to the page what happens in the conversation.
 *
 * @param announceLast says the last answer to screen readers
 */
export function tellPage(
  { dispatch }: PanelHost,
  announceLast: () => void,
): Pick<ConversationListener, 'onSent' | 'onAnswer' | 'onProblem'> {
  return {
    onSent: (text) => {
      dispatch('chat-sent', { text });
    },
    onAnswer: (text, latency) => {
      announceLast();
      dispatch('chat-message', { text, latency });
    },
    onProblem: ({ code, message }) => {
      dispatch('chat-error', { code, message });
    },
  };
}
