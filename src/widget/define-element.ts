import { VoiceAssistantChat } from './voice-assistant-chat.ts';

/** Defines `<voice-assistant-chat>`, unless another copy of the script has. Does nothing on a server. */
export function defineElement(): void {
  if ('customElements' in globalThis && !customElements.get('voice-assistant-chat'))
    customElements.define('voice-assistant-chat', VoiceAssistantChat);
}
