import { conversationKeyPrefix } from '../../conversation/storage/conversation-store.ts';
import { english, loadLocale } from '../../texts/texts.ts';
import type { VoiceAssistantChat } from '../../voice-assistant-chat.ts';
import { adoptStyles } from '../adopt-styles.ts';
import teaserCss from './teaser.css?inline';

const dismissedKey = 'voice-assistant-chat:teaser';

/** The teaser of each element. */
const teasers = new WeakMap<VoiceAssistantChat, Teaser>();

/**
 * Shows an element's teaser beside its launcher after its delay, until the visitor opens the chat or dismisses
 * the teaser. Visitors who have chatted before do not see it.
 */
export function showTeaser(element: VoiceAssistantChat, root: HTMLElement): void {
  const teaser = teasers.get(element) ?? new Teaser(element, root);
  teasers.set(element, teaser);
  teaser.update();
}

class Teaser {
  readonly #element: VoiceAssistantChat;
  readonly #root: HTMLElement;
  readonly #bubble = document.createElement('div');
  readonly #text = document.createElement('button');
  readonly #dismissButton = document.createElement('button');
  #isOver = false;

  constructor(element: VoiceAssistantChat, root: HTMLElement) {
    this.#element = element;
    this.#root = root;
    const bubble = this.#bubble;
    bubble.part.value = 'teaser';
    bubble.dir = 'auto';
    this.#dismissButton.part.value = 'teaser-dismiss-button';
    this.#text.type = this.#dismissButton.type = 'button';
    this.#text.onclick = () => {
      element.show();
    };
    this.#dismissButton.onclick = () => {
      this.#dismiss();
    };
    bubble.onkeydown = (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      this.#dismiss();
    };
    bubble.append(this.#text, this.#dismissButton);
    const launcher = root.querySelector('button') as HTMLElement;
    // A label may take several lines on a narrow phone. The observer is released with the element.
    new ResizeObserver(() => {
      bubble.style.setProperty('--_launcher-height', `${launcher.offsetHeight}px`);
    }).observe(launcher);
    adoptStyles(element.shadowRoot as ShadowRoot, teaserCss);
    // The shell calls `showTeaser` when a teaser changes, but not when it is removed. Also released with the element.
    new MutationObserver(() => {
      this.update();
    }).observe(element, { attributeFilter: ['teaser', 'open', 'inline', 'persist'] });
  }

  update(): void {
    const { teaser, open, inline, teaserDelay } = this.#element;
    this.#isOver ||= open || this.#wasDismissed || this.#hasChatted;
    if (!teaser || inline || this.#isOver) {
      // Prototype.js replaces `remove` with a version that throws for an element without a parent.
      if (this.#bubble.parentNode) this.#bubble.remove();
      return;
    }
    const seconds = Number(String(teaserDelay ?? '').trim() || NaN);
    // Delayed by CSS instead of a timer, so that a removed element leaves no timer behind.
    this.#bubble.style.animationDelay = `${seconds >= 0 && seconds < Infinity ? seconds : 5}s`;
    if (this.#text.textContent !== teaser) this.#text.textContent = teaser;
    if (!this.#bubble.isConnected) this.#root.append(this.#bubble);
    const language = pageLanguage(this.#element);
    // Not that of the root, which is the assistant's.
    this.#bubble.lang = language;
    void dismissLabel(this.#element, language).then((label) => {
      this.#dismissButton.title = label;
    });
  }

  #dismiss(): void {
    this.#isOver = true;
    const hadFocus = this.#bubble.matches(':focus-within');
    this.#bubble.remove();
    if (hadFocus) this.#root.querySelector('button')?.focus();
    try {
      // Nothing is stored before the visitor consents.
      if (!this.#awaitsConsent) this.#storage?.setItem(dismissedKey, 'dismissed');
    } catch {
      // The storage is full: it is dismissed for this visit only.
    }
  }

  get #wasDismissed(): boolean {
    return this.#read(dismissedKey) === 'dismissed';
  }

  get #hasChatted(): boolean {
    const id = this.#element.assistantId?.trim();
    // The page may set it later.
    if (!id) return false;
    return Object.keys(this.#storage ?? {}).some(
      (key) => key.startsWith(conversationKeyPrefix) && key.includes(id),
    );
  }

  get #awaitsConsent(): boolean {
    return (
      this.#element.querySelector('[slot=consent]') !== null && !this.#read('voice-assistant-chat:consent')
    );
  }

  #read(key: string): string | null | undefined {
    try {
      return this.#storage?.getItem(key);
    } catch {
      return undefined;
    }
  }

  /** The storage that `persist` names; undefined if nothing may be stored or the browser blocks it. */
  get #storage(): Storage | undefined {
    const { persist } = this.#element;
    try {
      return persist === 'none' ? undefined : globalThis[`${persist}Storage`];
    } catch {
      return undefined;
    }
  }
}

/** Returns the language of the page, which the teaser is in. */
function pageLanguage(element: VoiceAssistantChat): string {
  const { lang } = element.closest<HTMLElement>('[lang]') ?? document.documentElement;
  return lang || navigator.language;
}

/** Returns “Dismiss” in a language, or in English if that cannot be loaded. */
async function dismissLabel(element: VoiceAssistantChat, language: string): Promise<string> {
  const own = element.messages?.dismiss;
  if (own) return own;
  return ((await loadLocale([language])) ?? english).texts.dismiss;
}
