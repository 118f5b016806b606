import type { Panel } from '../element/panel-input.ts';
import { focusPanel } from './focus-panel.ts';
import type { PanelContext } from './panel-context.ts';

/** The visitor's actions, called by templates. */
export interface PanelActions {
  readonly close: () => void;
  readonly restart: () => void;
  readonly startOver: () => void;
  readonly retry: (key?: string) => void;
  readonly setDraft: (text: string) => void;
  /** Sends the draft. */
  readonly submit: () => void;
  /** Sends the draft; if it is empty, stops the reply in progress. */
  readonly submitOrStop: () => void;
  /** Sends a suggested message. */
  readonly sendSuggestion: (text: string) => void;
  /** Moves an unsent message back into the composer. */
  readonly edit: (key: string) => void;
  /** Handles pointer, focus and clicks on the menu's button. */
  readonly menu: (event: Event) => void;
}

/** Implements the visitor's actions for panel and conversation. */
export function createPanelActions(panel: Pick<Panel, 'restart' | 'send'> & PanelContext): PanelActions {
  const focus = (): void => {
    focusPanel(panel.container);
  };
  const setDraft = (text: string): void => {
    panel.conversation.draft = text;
    // Needed soon, to send the message and to render its answer.
    void panel.modules.load('talk');
    void panel.modules.load('markdown');
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
        part?.offerUndo(panel);
        panel.restart();
        focus();
      });
    },
    startOver: () => {
      panel.conversation.startNew();
      focus();
    },
    retry: (key) => {
      panel.conversation.retry(key);
      focus();
    },
    submit: () => {
      panel.send(panel.conversation.draft);
    },
    submitOrStop: () => {
      const { draft, snapshot } = panel.conversation;
      if (draft === '' && snapshot.status === 'replying') panel.conversation.stop();
      else panel.send(draft);
    },
    sendSuggestion: (text) => {
      panel.host.element.send(text);
      // The clicked button disappears.
      focus();
    },
    edit: (key) => {
      const { draft } = panel.conversation;
      const text = panel.conversation.takeBack(key);
      // A refused message is in the draft already.
      if (text !== draft) setDraft([text, draft].filter(Boolean).join('\n\n'));
      panel.container.querySelector('textarea')?.focus();
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
