import { filesUrl } from './element/files-url.ts';
import { VoiceAssistantChat } from './voice-assistant-chat.ts';

/* `<script type="module" src="…/voice-assistant-chat.js">`: defines the element; its service is where the script is. */

VoiceAssistantChat.defaultBaseUrl = filesUrl.replace(/(\/v\/[^/]+)?\/$/, '');

// A second copy of the script must not break the first.
if (!customElements.get('voice-assistant-chat'))
  customElements.define('voice-assistant-chat', VoiceAssistantChat);

export { VoiceAssistantChat };
