import { countCharacters, limits } from '../../contract/limits.ts';
import type { AddOnReach } from './add-on.ts';

/** Sends a text as the visitor. One that cannot be sent waits in the composer, or nowhere. */
export function sendText(panel: AddOnReach, text: string, onSent: () => void): void {
  const send = (): void => {
    const { conversation, options } = panel.state();
    if (text.trim() === '') return;
    if (countCharacters(text) > limits.message.max || panel.isClosed || options.idProblem) {
      // It is the visitor's to shorten, and the composer explains; or to send when they may, or can.
      conversation.draft = text;
      panel.draw();
    } else if (panel.host.dispatch('chat-send', { text })) {
      if (text === conversation.draft) conversation.draft = '';
      conversation.send(text);
      onSent();
    }
  };
  // What stands before the conversation says itself whether it is passed.
  if (panel.isClosed && !panel.gate) void panel.modules.load('gate').then(send);
  else send();
}
