import type { VoiceAssistantChat } from '../voice-assistant-chat.ts';
import teaserCss from './teaser.css?inline';

const invited = new WeakSet<VoiceAssistantChat>();

/** Shows the teaser of an element once, after its delay, unless the visitor opened the chat meanwhile. */
export function showTeaser(element: VoiceAssistantChat, root: HTMLElement): void {
  if (invited.has(element) || element.open || element.inline) return;
  invited.add(element);
  const bubble = document.createElement('button');
  bubble.type = 'button';
  bubble.part.value = 'teaser';
  bubble.textContent = element.teaser;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(teaserCss);
  element.shadowRoot?.adoptedStyleSheets.push(sheet);
  const timer = setTimeout(
    () => {
      root.append(bubble);
    },
    1000 * Number(element.teaserDelay ?? 5),
  );
  bubble.onclick = () => {
    element.show();
  };
  element.addEventListener(
    'chat-open',
    () => {
      clearTimeout(timer);
      bubble.remove();
    },
    { once: true },
  );
}
