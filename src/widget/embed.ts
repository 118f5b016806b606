import { script, scriptUrl } from './element/shell-module-files.ts';
import { VoiceAssistantChat } from './voice-assistant-chat.ts';

/*
 * The script snippet: `<script src="…/embed/ASSISTANT-UUID.js" async></script>`, which the service extends with the
 * assistant's settings, or `<script src="…/embed.js" data-assistant-id="…" async></script>`. Their `data-` attributes
 * set the element's attributes; the attribute names of other vendors' snippets also work.
 */

const otherNames: Readonly<Record<string, string>> = {
  headerTitle: 'heading',
  headerSubtitle: 'subheading',
  buttonMainText: 'launcherLabel',
  buttonSubText: 'launcherSublabel',
};

const name = 'voice-assistant-chat';
if (!customElements.get(name)) customElements.define(name, VoiceAssistantChat);

const { origin } = new URL(scriptUrl);
const element = document.createElement(name);
element.baseUrl = origin;
const [, assistantId] = /\/embed\/([^/]+)\.js.*/.exec(scriptUrl) ?? [];
if (assistantId) element.assistantId = assistantId;
for (const [name, value] of Object.entries(script?.dataset ?? {})) {
  Reflect.set(element, otherNames[name] ?? name, value);
}

const append = (): void => {
  document.body.append(element);
};
// A script in the head can run before there is a body.
if (document.body as HTMLElement | null) append();
else addEventListener('DOMContentLoaded', append);
