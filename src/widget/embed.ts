import type { QueuedCall } from './embed-special-cases.ts';
import type { SnippetChat } from './keep-across-page-swaps.ts';
import { assistantId, filesUrl, script } from './element/current-script.ts';
import { defaultBaseUrl, loadEmbedding } from './element/shell-module-files.ts';
import { VoiceAssistantChat } from './voice-assistant-chat.ts';
import { warnOnce } from './warn-once.ts';

/*
 * The script snippet: `<script src="…/embed/ASSISTANT-UUID.js" async></script>`, which the service extends with the
 * assistant's settings, or `<script src="…/embed.js" data-assistant-id="…" async></script>`. Its `data-` attributes set
 * the element's attributes. `embed-special-cases.ts` loads for everything else: parameters of the URL, attributes of other
 * vendors, queued calls, `data-inline`, and a chat that is on the page already.
 */

export type { QueuedCall };

const name = 'voice-assistant-chat';
if (!customElements.get(name)) customElements.define(name, VoiceAssistantChat);

const element: SnippetChat = Object.assign(document.createElement(name), {
  assistantId,
  baseUrl: defaultBaseUrl,
});
// Without a script there are no files.
if (!filesUrl) warnOnce('data-base-url is missing.');
else if (
  !/\.js\?|data-(button|header|inline)/.test((script as HTMLScriptElement).outerHTML) &&
  (document.body as HTMLElement | null) &&
  !globalThis.voiceAssistantChat
) {
  for (const name of VoiceAssistantChat.observedAttributes)
    if (script?.hasAttribute(`data-${name}`))
      element.setAttribute(name, script.getAttribute(`data-${name}`) as string);
  element.script = script;
  // Beside the body, so that routers that replace it keep the chat.
  document.documentElement.append(element);
  globalThis.voiceAssistantChat = {
    push: (...calls) => {
      for (const call of calls)
        queueMicrotask(() => {
          call(element);
        });
    },
  };
} else insert();

function insert(): void {
  loadEmbedding().then(
    ({ embed }) => {
      embed(element, script);
    },
    () => setTimeout(insert, 5000),
  );
}
