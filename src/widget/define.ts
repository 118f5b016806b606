import { defineElement } from './define-element.ts';

export {
  VoiceAssistantChat,
  type ChatEventMap,
  type FormField,
  type PageTool,
  type Position,
  type Texts,
} from './voice-assistant-chat.ts';

defineElement();
