import { scriptUrl } from './element/shell-module-files.ts';
import { VoiceAssistantChat } from './voice-assistant-chat.ts';

/* `<script type="module" src="…/voice-assistant-chat.js">`: defines the element; its service is the script's origin. */

VoiceAssistantChat.defaultBaseUrl = new URL(scriptUrl).origin;

// A second copy of the script must not break the first.
if (!customElements.get('voice-assistant-chat'))
  customElements.define('voice-assistant-chat', VoiceAssistantChat);

export { VoiceAssistantChat };
