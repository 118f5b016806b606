import { countCharacters, limits } from '../../contract/limits.ts';
import type { PanelContext } from './panel-context.ts';

/** Sends a text as the visitor's message. A text that cannot be sent is put into the composer. */
export function sendText(panel: PanelContext, text: string, onSent: () => void): void {
  const send = (): void => {
    const { conversation, options } = panel;
    if (text.trim() === '') return;
    if (countCharacters(text) > limits.message.max || panel.isClosed || options.setupProblem) {
      // The visitor can shorten it, as the composer explains, or send it once that is possible.
      conversation.draft = text;
      panel.draw();
    } else if (panel.host.dispatch('chat-send', { text })) {
      if (text === conversation.draft) conversation.draft = '';
      conversation.send(text);
      onSent();
    }
  };
  // Until the gate has loaded, it counts as closed.
  if (panel.isClosed && !panel.gate) void panel.modules.load('gate').then(send);
  else send();
}
