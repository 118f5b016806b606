import type { ChatEventMap } from './events.ts';
import { VoiceAssistantChat } from './voice-assistant-chat.ts';

export { VoiceAssistantChat, type ChatEventMap };

// Also importable on a server, and twice on a page: a second copy of the script must not break the first.
if ('customElements' in globalThis && !customElements.get('voice-assistant-chat')) {
  customElements.define('voice-assistant-chat', VoiceAssistantChat);
}
