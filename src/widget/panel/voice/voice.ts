import { html, type TemplateResult } from 'lit/html.js';
import type { Conversation } from '../../conversation/conversation.ts';
import type { Session } from '../../conversation/session.ts';
import type { Message } from '../../conversation/snapshot.ts';
import type { Locale } from '../../texts/texts.ts';
import type { AddOn } from '../add-on.ts';
import type { PanelContext } from '../panel-context.ts';
import { icon, stopIcon } from '../icons.ts';
import { isComposing } from '../is-composing.ts';
import { textToReadAloud } from './text-to-read-aloud.ts';
import { dictate, isAndroid, separatorIn, type Dictation } from './dictation.ts';
import { followLevel } from './follow-level.ts';
import { readAloud } from './read-aloud.ts';
import type { VoiceProblem } from './voice-problem.ts';

const microphoneIcon = icon('M9 7a3 3 0 0 1 6 0v5a3 3 0 0 1-6 0zM6 11a6 6 0 0 0 12 0m-6 6v3');
const speakerIcon = icon('M4 10v4h4l5 4V6l-5 4zm12-1a4 4 0 0 1 0 6m2.5-8.5a8 8 0 0 1 0 11', 'directional');

/** Lets the visitor dictate, and reads answers aloud. */
export function start(panel: PanelContext): AddOn {
  return new Voice(panel);
}

class Voice implements AddOn {
  readonly #panel: PanelContext;
  #dictation: Dictation | undefined;
  /** The session that is dictated to, and its draft as dictation has left it. */
  #dictated: { readonly session: Session; readonly draft: string } | undefined;
  #endLevel: (() => void) | undefined;
  #endReading: (() => void) | undefined;
  /** The message that is being read aloud. */
  #readKey: string | undefined;
  #problem: VoiceProblem | undefined;
  #session: Session | undefined;
  readonly #rendered = new WeakMap<Message, { locale: Locale; isRead: boolean; view: TemplateResult }>();

  constructor(panel: PanelContext) {
    this.#panel = panel;
    const { container, host } = panel;
    // The listeners are on the chat's own elements, and are released with them.
    host.root.addEventListener('keydown', this.#onKey, true);
    // Typing ends dictation and reading.
    container.addEventListener('input', this.hide);
    host.element.addEventListener('chat-send', this.hide);
  }

  readonly conversationChanged = ({ session, snapshot }: Conversation): void => {
    if (session !== this.#session) {
      this.#session = session;
      this.hide();
    }
    if (this.#dictation && !this.#isDictated) this.#stopDictation();
    if (!snapshot.messages.some(({ key }) => key === this.#readKey)) this.#stopReading();
  };

  readonly inComposer = (): unknown => {
    const { locale } = this.#panel;
    if (locale === undefined) return undefined;
    const texts = locale.texts;
    const isListening = this.#dictation !== undefined;
    const label = isListening ? texts.stopDictating : texts.dictate;
    return html`<button
        type="button"
        part="dictate-button"
        class="icon-button"
        title=${label}
        ?data-listening=${isListening}
        @pointerdown=${keepFocus}
        @click=${this.#toggleDictation}
      >
        ${isListening ? stopIcon : microphoneIcon}
      </button>
      <p
        class="note voice-note"
        role="status"
        ?data-error=${this.#problem !== undefined}
        .textContent=${this.#problem ? texts[this.#problem] : isListening ? texts.listening : ''}
      ></p>`;
  };

  readonly below = (message: Message): unknown => {
    const { role, status, text, key } = message;
    const { locale } = this.#panel;
    if (role !== 'assistant' || status !== 'done' || text === '' || locale === undefined) return undefined;
    const isRead = key === this.#readKey;
    const rendered = this.#rendered.get(message);
    if (rendered?.locale === locale && rendered.isRead === isRead) return rendered.view;
    const texts = locale.texts;
    const label = isRead ? texts.stopReading : texts.readAloud;
    const view = html`<button
      type="button"
      part="read-button"
      class="icon-button"
      title=${label}
      @click=${(event: Event) => {
        this.#toggleReading(key, event.currentTarget as Element);
      }}
    >
      ${isRead ? stopIcon : speakerIcon}
    </button>`;
    this.#rendered.set(message, { locale, isRead, view });
    return view;
  };

  readonly hide = (): void => {
    this.#problem = undefined;
    this.#stopDictation();
    this.#stopReading();
  };

  readonly stop = this.hide;

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || isComposing(event)) return;
    if (this.#dictation === undefined && this.#readKey === undefined) return;
    // The first Escape ends dictation or reading, the next one closes the chat.
    event.stopPropagation();
    this.hide();
  };

  readonly #toggleDictation = (): void => {
    if (this.#dictation !== undefined) {
      this.#dictation.finish();
      return;
    }
    this.#stopReading();
    const { conversation } = this.#panel;
    const { draft, session } = conversation;
    const before = draft.trimEnd();
    this.#dictated = { session, draft };
    addEventListener('pagehide', this.hide);
    let hasLevel = false;
    const language = this.#language;
    this.#dictation = dictate(language, {
      onText: (text) => {
        if (!this.#isDictated) {
          this.#stopDictation();
          return;
        }
        const draft = [before, text].filter(Boolean).join(separatorIn(language));
        this.#dictated = { session, draft };
        conversation.draft = draft;
        this.#panel.requestRender();
      },
      onSound: (hasSound) => {
        if (!hasLevel) this.#showLevel(hasSound ? 0.5 : 0);
      },
      onEnd: (problem) => {
        this.#problem = problem;
        this.#stopDictation();
      },
    });
    this.#problem = this.#dictation === undefined ? 'impossible' : undefined;
    // Android gives the microphone to one app at a time: if the page measured the volume, the recognizer would hear nothing.
    if (this.#dictation !== undefined && !isAndroid())
      this.#endLevel = followLevel((level) => {
        hasLevel = true;
        this.#showLevel(level);
      });
    this.#panel.requestRender();
  };

  /** Whether only dictation has changed the draft. A text from elsewhere must not be overwritten. */
  get #isDictated(): boolean {
    const { draft, session } = this.#panel.conversation;
    return session === this.#dictated?.session && draft === this.#dictated.draft;
  }

  #stopDictation(): void {
    removeEventListener('pagehide', this.hide);
    this.#dictation?.abort();
    this.#dictation = undefined;
    this.#endLevel?.();
    this.#endLevel = undefined;
    this.#showLevel(0);
    this.#panel.requestRender();
  }

  #toggleReading(key: string, button: Element): void {
    const isRead = key === this.#readKey;
    this.hide();
    if (isRead) return;
    // Otherwise, browsers read on over the next page.
    addEventListener('pagehide', this.hide);
    const answer = button.closest('li')?.querySelector('[part~="message"] > :last-child');
    this.#endReading = readAloud(answer ? textToReadAloud(answer) : '', this.#language, (problem) => {
      this.#problem = problem;
      this.#stopReading();
    });
    this.#problem = this.#endReading === undefined ? 'impossible' : undefined;
    this.#readKey = this.#endReading && key;
  }

  #stopReading(): void {
    if (this.#readKey === undefined) return;
    removeEventListener('pagehide', this.hide);
    this.#endReading?.();
    this.#endReading = undefined;
    this.#readKey = undefined;
    this.#panel.requestRender();
  }

  #showLevel(level: number): void {
    this.#panel.container
      .querySelector<HTMLElement>('[part~="dictate-button"]')
      ?.style.setProperty('--_level', level.toFixed(2));
  }

  /** The language that visitor and assistant most likely use. */
  get #language(): string {
    const { options, locale } = this.#panel;
    return options.languages.find(isLanguage) ?? locale?.language ?? 'en';
  }
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/** Keeps the focus in the composer, where the dictated text appears. */
function keepFocus(event: Event): void {
  event.preventDefault();
}
