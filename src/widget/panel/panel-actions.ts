import type { Conversation } from '../conversation/conversation.ts';
import type { Panel } from '../element/panel-input.ts';
import { focusPanel } from './focus-panel.ts';
import type { PanelActions } from './panel-model.ts';
import type { PanelReach } from './panel-reach.ts';

/** Makes of a visitor's wishes what they mean for panel and conversation. */
export function createPanelActions(
  panel: Pick<Panel, 'restart' | 'send'> & PanelReach,
  conversation: () => Conversation,
): PanelActions {
  const focus = (): void => {
    focusPanel(panel.container);
  };
  const setDraft = (text: string): void => {
    conversation().draft = text;
    // Should the connection fail from now on, what says so is there; and a message comes with the day that it begins.
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
        // Without a connection there may be no way back, nor is there anywhere to go.
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
      // A message that was refused is in the draft already.
      if (text !== draft) setDraft([text, draft].filter(Boolean).join('\n\n'));
      panel.container.querySelector('textarea')?.focus();
    },
    markRead: () => {
      conversation().markRead();
    },
    menu: (event) => {
      const button = event.currentTarget as HTMLButtonElement;
      // Once it has its menu, the browser opens and closes that.
      if (button.popoverTargetElement) return;
      event.preventDefault();
      void panel.modules.load('extras').then((part) => {
        part?.menuFor(button, event, panel);
      });
    },
  };
}
