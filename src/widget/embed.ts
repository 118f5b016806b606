import { VoiceAssistantChat } from './voice-assistant-chat.ts';

/*
 * The one line to paste: `<script src="…/embed.js" data-assistant-id="…" async></script>`. Its `data-` attributes
 * are the element's attributes; those that other vendors' snippets use are understood too.
 */

const otherNames: Readonly<Record<string, string>> = {
  'header-title': 'heading',
  'header-subtitle': 'subheading',
  'button-main-text': 'launcher-label',
  'button-sub-text': 'launcher-sublabel',
};

const { src, attributes } = document.currentScript as HTMLScriptElement;
const name = 'voice-assistant-chat';
if (!customElements.get(name)) customElements.define(name, VoiceAssistantChat);

const element = document.createElement(name);
element.setAttribute('base-url', new URL(src).origin);
for (const { name, value } of attributes) {
  const [, attribute] = /^data-(.+)/.exec(name) ?? [];
  if (attribute) element.setAttribute(otherNames[attribute] ?? attribute, value);
}

const append = (): void => {
  document.body.append(element);
};
// The tag may stand in the head, where there is no body yet.
if (document.body as HTMLElement | null) append();
else addEventListener('DOMContentLoaded', append, { once: true });
