import { defineElement } from './define-element.ts';
import { VoiceAssistantChat } from './voice-assistant-chat.ts';

/* `<script type="module" src="…/voice-assistant-chat.js">`: defines the element; its service is where the script is. */

defineElement();

export { VoiceAssistantChat };
