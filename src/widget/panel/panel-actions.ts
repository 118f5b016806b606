import { countCharacters, limits } from '../../contract/limits.ts';
import type { Panel } from '../element/panel-input.ts';
import { focusPanel } from './focus-panel.ts';
import { paragraphs } from '../conversation/conversation.ts';
import type { PanelContext } from './panel-context.ts';

/** The visitor's actions, called by templates. */
export interface PanelActions {
  readonly close: () => void;
  readonly restart: () => void;
  readonly startOver: () => void;
  readonly retry: (key?: string) => void;
  readonly setDraft: (text: string) => void;
  /** Sends a text as the visitor's message. A text that cannot be sent is added to the draft. */
  readonly send: (text: string) => void;
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

/**
 * Implements the visitor's actions for panel and conversation.
 *
 * @param onSent called when the visitor has sent a message
 */
export function createPanelActions(
  panel: Pick<Panel, 'restart'> & PanelContext,
  onSent: () => void,
): PanelActions {
  const focus = (): void => {
    focusPanel(panel.container);
  };
  const setDraft = (text: string): void => {
    panel.conversation.draft = text;
    // Needed soon, to send the message and to render its answer.
    void panel.modules.load('messaging');
    void panel.modules.load('markdown');
    panel.requestRender();
  };
  const sendNow = (text: string): void => {
    const { conversation, options } = panel;
    if (text.trim() === '') return;
    if (countCharacters(text) > limits.message.max || panel.isGateClosed || options.setupProblem) {
      // The visitor can shorten it, as the composer explains, or send it once that is possible.
      conversation.addToDraft(text);
      panel.requestRender();
    } else if (panel.host.dispatch('chat-send', { text })) {
      conversation.send(text);
      onSent();
    }
  };
  const send = (text: string): void => {
    // Until the gate has loaded, it counts as closed.
    if (panel.isGateClosed && !panel.gate)
      void panel.modules.load('gate').then(() => {
        sendNow(text);
      });
    else sendNow(text);
  };
  return {
    setDraft,
    send,
    close: () => {
      panel.host.element.hide();
    },
    restart: () => {
      void panel.modules.load('messaging').then((messaging) => {
        // Offline, neither undo nor a new conversation would work.
        if (!messaging && !navigator.onLine) return;
        messaging?.offerUndo(panel);
        panel.restart();
        focus();
      });
    },
    startOver: () => {
      panel.conversation.startNew();
    },
    retry: (key) => {
      panel.conversation.retry(key);
    },
    submit: () => {
      send(panel.conversation.draft);
    },
    submitOrStop: () => {
      const { draft, snapshot } = panel.conversation;
      if (draft === '' && snapshot.status === 'replying') panel.conversation.stop();
      else send(draft);
    },
    sendSuggestion: (text) => {
      panel.host.element.send(text);
      // Safari does not focus a clicked button.
      focus();
    },
    edit: (key) => {
      const { draft } = panel.conversation;
      const text = panel.conversation.withdraw(key);
      // A refused message is in the draft already.
      if (text !== draft) setDraft(paragraphs(text, draft));
      panel.container.querySelector<HTMLElement>('[part="composer-input"]')?.focus();
    },
    menu: (event) => {
      const button = event.currentTarget as HTMLButtonElement;
      // Once the button has its menu, the browser opens and closes it.
      if (button.popoverTargetElement) return;
      event.preventDefault();
      void panel.modules.load('extras').then((extras) => {
        extras?.menuFor(button, event, panel);
      });
    },
  };
}
