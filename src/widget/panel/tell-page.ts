import type { ConversationListener } from '../state/conversation.ts';
import type { PanelHost } from './panel-host.ts';

/** Passes on to the page what concerns nobody in the panel. */
export function tellPage({ dispatch }: PanelHost): Pick<ConversationListener, 'onSent' | 'onProblem'> {
  return {
    onSent: (text) => {
      dispatch('chat-sent', { text });
    },
    onProblem: ({ code, message }) => {
      dispatch('chat-error', { code, message });
    },
  };
}
