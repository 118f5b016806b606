import { defineElement } from './define-element.ts';
import type { ChatEventMap } from './events.ts';
import { VoiceAssistantChat } from './voice-assistant-chat.ts';

export { VoiceAssistantChat, type ChatEventMap };

defineElement();
