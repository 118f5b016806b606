import type { ConversationListener } from '../conversation/conversation.ts';
import type { PanelContext } from './panel-context.ts';
import type { PanelHost } from './panel-host.ts';
import { isBesidePage } from './panel-place.ts';
import { warnOnce } from '../warn-once.ts';
import { idle } from '../element/when-idle.ts';

/**
 * Dispatches a conversation's events to the page.
 *
 * @param isCurrent whether the panel still shows the conversation: requests in flight continue after the page has
 * switched to another user, who must not learn of them
 * @param announce called when there is a new message from the assistant
 */
export function dispatchEvents(
  panel: PanelContext,
  isCurrent: () => boolean,
  announce: () => void,
): Omit<ConversationListener, 'onChange'> {
  const { host, modules } = panel;
  const { element } = host;
  const dispatch: PanelHost['dispatch'] = (name, detail) => isCurrent() && host.dispatch(name, detail);
  const whenIdle = (load: () => unknown): void => {
    idle()
      .then(load)
      .catch(() => undefined);
  };
  return {
    onReady: (conversationId, resumed) => {
      dispatch('chat-ready', { conversationId, resumed });
      whenIdle(() => {
        // It announces the greeting, and a visible conversation follows its updates with it.
        void modules.load('talk');
        return modules.preload('markdown');
      });
      if (!resumed && isCurrent()) announce();
    },
    onSent: (text) => {
      dispatch('chat-sent', { text });
    },
    onAnswer: (text, latency) => {
      if (isCurrent()) announce();
      whenIdle(() => modules.preload('extras'));
      if (text) dispatch('chat-message', { text, latency });
    },
    onProblem: ({ code, message }) => {
      // Visitors only see that there is no assistant.
      if (code === 'origin-not-allowed') warnOnce(`${message}. Add it to allowed_origins of the assistant.`);
      dispatch('chat-error', { code, message });
    },
    onOpenChange: (isOpen) => {
      // Another tab's chat does not open where it would cover this page.
      if (!element.inline && isCurrent() && (!isOpen || isBesidePage())) element.open = isOpen;
    },
  };
}
