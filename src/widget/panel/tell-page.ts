import type { ConversationListener } from '../conversation/conversation.ts';
import type { PanelInput } from '../element/panel-input.ts';
import type { AddOnReach } from './add-on.ts';

/**
 * Passes on to the page what happens in a conversation.
 *
 * @param onHeard called when the assistant has said something new
 */
export function tellPage(
  panel: AddOnReach,
  prefetchTalk: PanelInput['prefetchTalk'],
  onHeard: () => void,
): Omit<ConversationListener, 'onChange'> {
  const { dispatch, element } = panel.host;
  return {
    onReady: (conversationId, resumed) => {
      dispatch('chat-ready', { conversationId, resumed });
      // Safari has no idle time to offer, whatever the types say.
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition
      (globalThis.requestIdleCallback ?? setTimeout)(() => {
        prefetchTalk().catch(() => undefined);
      });
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
    onOpenChange: (isOpen) => {
      if (!element.inline) element.open = isOpen;
    },
  };
}
