import { VoiceAssistantChat } from './voice-assistant-chat.ts';

/*
 * The one line to paste: `<script src="…/embed.js" data-assistant-id="…" async></script>`. Its `data-` attributes
 * are the element's attributes; those that other vendors' snippets use are understood too.
 */

/** This script's own tag; the build defines it. */
declare const embedScript: HTMLScriptElement;

const otherNames: Readonly<Record<string, string>> = {
  headerTitle: 'heading',
  headerSubtitle: 'subheading',
  buttonMainText: 'launcherLabel',
  buttonSubText: 'launcherSublabel',
};

const name = 'voice-assistant-chat';
if (!customElements.get(name)) customElements.define(name, VoiceAssistantChat);

const element = document.createElement(name);
element.baseUrl = new URL(embedScript.src).origin;
for (const [name, value] of Object.entries(embedScript.dataset)) {
  Reflect.set(element, otherNames[name] ?? name, value);
}

const append = (): void => {
  document.body.append(element);
};
// The tag may stand in the head, where there is no body yet.
if (document.body as HTMLElement | null) append();
else addEventListener('DOMContentLoaded', append);
