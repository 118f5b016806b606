import type { ConversationListener } from '../conversation/conversation.ts';
import type { PanelContext } from './panel-context.ts';
import type { PanelHost } from './panel-host.ts';
import { isBesidePage } from './place/panel-place.ts';
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
        void modules.load('messaging');
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
    onProblem: (problem) => {
      const { code, message } = problem;
      // Visitors read little about a mistake of the site, so the console explains it to the site's owner.
      const isOwners = code === 'origin-not-allowed' || !panel.conversation.snapshot.conversationId;
      const { baseUrl } = panel.options;
      if (isOwners && isCurrent() && code !== 'offline')
        void modules.load('builder').then((builder) => builder?.warnOwner(problem, baseUrl));
      dispatch('chat-error', { code, message });
    },
    onOpenChange: (isOpen) => {
      // Another tab's chat does not open where it would cover this page.
      if (!element.inline && isCurrent() && (!isOpen || isBesidePage())) element.open = isOpen;
    },
  };
}
