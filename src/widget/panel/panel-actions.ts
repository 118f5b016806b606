import type { Conversation } from '../conversation/conversation.ts';
import type { Panel } from '../element/panel-input.ts';
import { focusPanel } from './focus-panel.ts';
import type { PanelActions } from './panel-model.ts';
import type { PanelReach } from './panel-reach.ts';

/** Implements the visitor's actions for panel and conversation. */
export function createPanelActions(
  panel: Pick<Panel, 'restart' | 'send'> & PanelReach,
  conversation: () => Conversation,
): PanelActions {
  const focus = (): void => {
    focusPanel(panel.container);
  };
  const setDraft = (text: string): void => {
    conversation().draft = text;
    // Needed soon: to explain a lost connection, and to date the message.
    void panel.modules.load('talk');
    panel.draw();
  };
  return {
    setDraft,
    close: () => {
      panel.host.element.hide();
    },
    restart: () => {
      void panel.modules.load('talk').then((part) => {
        // Offline, neither undo nor a new conversation would work.
        if (!part && !navigator.onLine) return;
        part?.offerUndo(panel, conversation());
        panel.restart();
        focus();
      });
    },
    startOver: () => {
      conversation().startNew();
      focus();
    },
    retry: (key) => {
      conversation().retry(key);
      focus();
    },
    submit: () => {
      panel.send(conversation().draft);
    },
    submitOrStop: () => {
      const { draft, snapshot } = conversation();
      if (draft === '' && snapshot.status === 'replying') conversation().stop();
      else panel.send(draft);
    },
    edit: (key) => {
      const { draft } = conversation();
      const text = conversation().takeBack(key);
      // A refused message is in the draft already.
      if (text !== draft) setDraft([text, draft].filter(Boolean).join('\n\n'));
      panel.container.querySelector('textarea')?.focus();
    },
    markRead: () => {
      conversation().markRead();
    },
    menu: (event) => {
      const button = event.currentTarget as HTMLButtonElement;
      // Once the button has its menu, the browser opens and closes it.
      if (button.popoverTargetElement) return;
      event.preventDefault();
      void panel.modules.load('extras').then((part) => {
        part?.menuFor(button, event, panel);
      });
    },
  };
}
