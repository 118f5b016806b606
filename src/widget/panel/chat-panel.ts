import { render } from 'lit/html.js';
import { countCharacters, limits } from '../../contract/limits.ts';
import type { Panel, PanelHost, PanelInput } from '../shell/panel-host.ts';
import type { Conversation } from '../state/conversation.ts';
import { english, loadLocale, type Locale } from '../texts/texts.ts';
import { accentText } from './accent-text.ts';
import { Announcer } from './announcer.ts';
import { createConversation } from './create-conversation.ts';
import { resolveOptions, type ChatOptions } from './options.ts';
import panelCss from './panel.css?inline';
import { LateParts } from './late-parts.ts';
import type { PanelActions, PanelModel } from './panel-model.ts';
import { panelView } from './panel-view.ts';
import { RetryWatch } from './retry-watch.ts';
import { ScrollFollow } from './scroll-follow.ts';

let panelSheet: CSSStyleSheet | undefined;

/** The chat itself: draws a conversation and passes the visitor's wishes on to it. */
export class ChatPanel implements Panel {
  readonly #host: PanelHost;
  readonly #shadowRoot: ShadowRoot;
  #input: PanelInput;
  #options: ChatOptions;
  readonly #container = document.createElement('section');
  readonly #sheet = new CSSStyleSheet();
  readonly #announcer = new Announcer();
  readonly #follow = new ScrollFollow();
  #conversation: Conversation;
  #identity = '';
  #locale: Locale = english;
  #languages: string | undefined;
  #isVisible = false;
  #isInspecting = true;
  readonly #late = new LateParts(() => {
    this.#draw();
  });
  #frame = 0;
  readonly #retryWatch = new RetryWatch(
    () => {
      this.#draw();
    },
    () => {
      this.#conversation.retry();
    },
  );

  constructor(host: PanelHost, input: PanelInput) {
    this.#host = host;
    this.#input = input;
    this.#options = resolveOptions(host.element, input);
    this.#shadowRoot = host.root.getRootNode() as ShadowRoot;
    if (panelSheet === undefined) {
      panelSheet = new CSSStyleSheet();
      panelSheet.replaceSync(panelCss);
    }
    this.#shadowRoot.adoptedStyleSheets.push(panelSheet, this.#sheet);
    const container = this.#container;
    container.id = 'panel';
    container.part.add('panel');
    container.tabIndex = -1;
    container.hidden = true;
    container.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.isComposing || this.#options.isInline) return;
      event.stopPropagation();
      host.close();
    });
    host.root.append(container, this.#announcer.element);
    this.#conversation = this.#newConversation();
    this.update(input);
  }

  update(input: PanelInput): void {
    this.#input = input;
    const options = resolveOptions(this.#host.element, input);
    this.#options = options;
    const { assistantId, baseUrl, type, persist } = options;
    const identity = JSON.stringify([baseUrl, assistantId, type, persist]);
    if (identity !== this.#identity) {
      if (this.#identity !== '') this.#conversation.pause();
      this.#identity = identity;
      this.#conversation = this.#newConversation();
      if (this.#isVisible) void this.#conversation.open();
    }
    this.#sheet.replaceSync(`.root{--_accent-text:${accentText(input.accent, this.#host.luminance)}}`);
    const { root } = this.#host;
    root.dir = options.direction ?? this.#locale.direction;
    this.#container.role = options.isInline ? 'region' : 'dialog';
    this.#container.setAttribute('aria-labelledby', 'heading');
    if (type === 'test') this.#late.loadInspector();
    void this.#loadLocale(options.languages);
    this.#draw();
  }

  show(takeFocus: boolean): void {
    this.#isVisible = true;
    this.#container.hidden = false;
    void this.#loadLocale(this.#options.languages).then(() => {
      this.#render();
      if (this.#isVisible && takeFocus) this.#focus();
    });
    void this.#conversation.open();
  }

  hide(): void {
    this.#isVisible = false;
    this.#container.hidden = true;
    this.#conversation.pause();
  }

  send(text: string): void {
    if (text.trim() === '') return;
    if (countCharacters(text) > limits.message.max) {
      // The composer explains what is too long, and the text is the visitor's to shorten.
      this.#conversation.draft = text;
      this.#draw();
      return;
    }
    if (!this.#host.dispatch('chat-send', { text })) return;
    this.#conversation.send(text);
    this.#render();
    this.#follow.goToEnd(this.#log);
  }

  restart(): void {
    this.#conversation.leave();
    if (this.#isVisible) void this.#conversation.open();
  }

  forget(): void {
    this.#conversation.forget();
  }

  connect(): void {
    this.#draw();
  }

  disconnect(): void {
    this.#conversation.pause();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#retryWatch.stop();
  }

  get #log(): Element | null {
    return this.#container.querySelector('[role="log"]');
  }

  readonly #actions: PanelActions = {
    close: () => {
      this.#host.close();
    },
    restart: () => {
      this.restart();
      this.#focus();
    },
    startOver: () => {
      this.#conversation.startOver();
      this.#focus();
    },
    retry: (key) => {
      this.#conversation.retry(key);
      this.#focus();
    },
    setDraft: (text) => {
      this.#conversation.draft = text;
      this.#draw();
    },
    submit: () => {
      const text = this.#conversation.draft;
      if (text.trim() === '' || countCharacters(text) > limits.message.max) return;
      if (!this.#host.dispatch('chat-send', { text })) return;
      this.#conversation.draft = '';
      this.#conversation.send(text);
      this.#render();
      this.#follow.goToEnd(this.#log);
    },
    toggleInspector: () => {
      this.#isInspecting = !this.#isInspecting;
      this.#draw();
    },
  };

  #newConversation(): Conversation {
    const { type } = this.#options;
    const { dispatch } = this.#host;
    const conversation: Conversation = createConversation(this.#input, () => this.#options, {
      onChange: () => {
        if (conversation === this.#conversation) this.#draw();
      },
      onReady: (conversationId, resumed) => {
        dispatch('chat-ready', { conversationId, resumed });
        if (!resumed) void this.#announceLast();
        if (type === 'test') void conversation.readVariables().catch(() => undefined);
      },
      onSent: (text) => {
        dispatch('chat-sent', { text });
      },
      onAnswer: (text, latency) => {
        void this.#announceLast();
        dispatch('chat-message', { text, latency });
      },
      onProblem: ({ code, message }) => {
        dispatch('chat-error', { code, message });
      },
    });
    return conversation;
  }

  async #loadLocale(languages: readonly string[]): Promise<void> {
    if (this.#languages === languages.join()) return;
    this.#languages = languages.join();
    this.#locale = await loadLocale(languages);
    this.#host.root.lang = this.#locale.language;
    this.update(this.#input);
  }

  /** Reads the last answer out as it shows, without the marks that make it look so. */
  async #announceLast(): Promise<void> {
    await this.#late.loadMarkdown(this.#conversation.snapshot.messages);
    this.#render();
    const last = [
      ...this.#container.querySelectorAll<HTMLElement>('[part~="message-assistant"] > :last-child'),
    ].at(-1);
    if (this.#isVisible && last !== undefined) this.#announcer.announce(last.innerText);
  }

  /** Where a person who opened the panel goes on: a keyboard would cover a phone's screen before anything was read. */
  #focus(): void {
    const input = this.#container.querySelector('textarea');
    const hasKeyboard = !matchMedia('(pointer: coarse)').matches;
    if (hasKeyboard && input !== null) input.focus({ preventScroll: true });
    else this.#container.focus({ preventScroll: true });
  }

  /** Draws in the next frame, together with whatever else changes until then. */
  #draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#render();
    });
  }

  #render(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (!this.#isVisible) return;
    const { snapshot, draft } = this.#conversation;
    void this.#late.loadMarkdown(snapshot.messages);
    const model: PanelModel = {
      options: this.#options,
      locale: this.#locale,
      snapshot,
      draft,
      now: Date.now(),
      isInspecting: this.#isInspecting,
      markdown: this.#late.markdownFor(this.#locale.texts),
      actions: this.#actions,
    };
    const inspector =
      this.#options.type === 'test' && this.#isInspecting ? this.#late.inspector?.(model) : undefined;
    this.#follow.before(this.#log);
    render(panelView(model, inspector), this.#container);
    this.#follow.after(this.#log);
    this.#retryWatch.watch([snapshot.problem, ...snapshot.messages.map(({ problem }) => problem)], model.now);
  }
}
