import { render } from 'lit/html.js';
import type { Panel, PanelInput } from '../element/panel-input.ts';
import type { VoiceAssistantChat } from '../voice-assistant-chat.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { SessionRequest } from '../conversation/history/request-conversation.ts';
import { isTokenProblem } from '../conversation/problem.ts';
import type { Locale } from '../texts/texts.ts';
import { AddOns } from './add-ons.ts';
import { adoptStyles } from './adopt-styles.ts';
import { Announcer } from './announcer.ts';
import { clearPanel, createContainer } from './create-container.ts';
import { createConversation, identityOf } from './create-conversation.ts';
import { describePanel } from './describe-panel.ts';
import { hasModules, loadMarkdown, loadNeeded } from './load-needed.ts';
import { LocaleSource } from './locale-source.ts';
import { pageDataOf, resolveOptions, type ChatOptions } from './options.ts';
import panelCss from './panel.css?inline';
import { focusPanel } from './focus-panel.ts';
import type { Gate } from './gate/gate.ts';
import { LazyModules } from './modules/lazy-modules.ts';
import { createPanelHost, type PanelHost } from './panel-host.ts';
import type { MarkdownRenderer } from './markdown/markdown.ts';
import { pageSize } from './message-log.ts';
import { createPanelActions } from './panel-actions.ts';
import type { PanelContext } from './panel-context.ts';
import { isBesidePage, PanelPlace } from './place/panel-place.ts';
import { panelView } from './panel-view.ts';
import type { LogController } from './message-log/log-controller.ts';
import { ScrollFollow } from './scroll-follow.ts';
import { dispatchEvents } from './dispatch-events.ts';
import { VisitStorage } from '../conversation/storage/visit-storage.ts';

/**
 * The chat panel: renders a conversation and passes the visitor's actions to it. Its file is the entry of the panel, which
 * the shell loads when a visitor is about to open the chat.
 */
export class ChatPanel implements Panel, PanelContext {
  /** Schedules a render in the next frame. */
  readonly requestRender = (): void => {
    this.#frame ||= requestAnimationFrame(() => {
      this.#render();
    });
  };
  readonly host: PanelHost;
  #input: PanelInput;
  options!: ChatOptions;
  readonly container: HTMLElement;
  readonly announcer = new Announcer();
  readonly scroll = new ScrollFollow(() => {
    void this.modules.load('messaging');
    this.requestRender();
  });
  readonly storage: VisitStorage;
  gate: Gate | undefined;
  readonly #place: PanelPlace;
  /** Set by the first `update`. */
  conversation!: Conversation;
  #identity = '';
  readonly #texts = new LocaleSource(() => {
    this.update(this.#input);
  });
  #isVisible = false;
  /** Had the focus when the panel was shown, as the page's own button. */
  #opener: Element | null = null;
  readonly modules = new LazyModules(
    (css) => {
      if (css !== undefined) adoptStyles(this.host.shadowRoot, css);
      const messaging = this.modules.get('messaging');
      this.logController ??= messaging && new messaging.LogController(this);
      void this.#announce(0);
      const gate = this.modules.get('gate');
      this.gate ??= gate && new gate.Gate(this);
      this.#afterChange();
      this.requestRender();
    },
    (name) => this.#input.preload(name),
  );
  logController: LogController | undefined;
  readonly addOns: AddOns = new AddOns(this);
  /** How many pages of messages are rendered, counted from the end: a long history is rendered in steps. */
  #pages = 2;
  #frame = 0;
  /** The number of answers to announce to screen readers. */
  #unannounced = 0;

  constructor(element: VoiceAssistantChat, input: PanelInput) {
    const host = (this.host = createPanelHost(element));
    this.#input = input;
    this.storage = new VisitStorage(input.storage);
    adoptStyles(this.host.shadowRoot, panelCss);
    this.container = createContainer(host);
    // The page may hide the whole chat while it is open.
    new ResizeObserver(this.#updateVisibility).observe(this.container);
    host.root.append(this.announcer.element);
    this.#place = new PanelPlace(host, this.container, this.storage, this.modules, () => this.locale);
    this.update(input);
    // As the visitor left it on the page before, unless it would cover this page.
    if (this.conversation.wasOpen && !this.options.isInline && isBesidePage()) element.open = true;
    if (element.isConnected) this.connect();
    // Rendered before the visitor presses the launcher, so that the panel then only has to be shown.
    void this.#texts.follow(this.options).then(() => {
      this.#render(true);
      if (this.container.hidden) this.container.setAttribute('data-prepared', '');
    });
  }

  update(input: PanelInput): void {
    this.#input = input;
    const { element } = this.host;
    const before = this.#identity ? this.conversation : undefined;
    const hadNoAssistant = before && this.options.setupProblem;
    const tokenBefore = before && this.options.userToken;
    const options = (this.options = resolveOptions(element, input));
    if (this.storage.moveTo(input.storage)) this.conversation.storageChanged();
    const identity = identityOf(options);
    if (identity !== this.#identity) {
      before?.disconnect();
      this.#identity = identity;
      const next = (this.conversation = this.#newConversation());
      // Text that the page sent before it set an assistant.
      if (before && hadNoAssistant) {
        next.addToDraft(before.draft);
        before.draft = '';
      }
      if (before) {
        this.#updateVisibility();
        if (this.#isVisible && !options.isInline) next.setOpen(true);
      }
      // Nothing that is in progress for one visitor may reach the next one.
      this.addOns.conversationChanged();
    } else if (options.userToken !== tokenBefore && isTokenProblem(this.conversation.snapshot.problem)) {
      this.conversation.retry();
    }
    describePanel(this.host, this.container, options, this.locale);
    void this.#texts.follow(options);
    this.addOns.update();
    // A gate may have been added or removed, or have loaded. Nothing opens while the panel is about to be hidden.
    const isWanted = this.#isVisible
      ? options.isInline || element.open
      : before && element.isConnected && this.conversation.opensInBackground;
    if (isWanted && (this.isGateClosed || this.conversation.snapshot.status === 'idle')) this.#open();
    this.#afterChange();
    this.requestRender();
  }

  show(takeFocus: boolean): void {
    // It may have been closed again while the panel was loading.
    if (!this.host.element.open && !this.options.isInline) return;
    this.#isVisible = true;
    const { activeElement } = document;
    this.#opener = activeElement;
    void this.#texts.follow(this.options).then(() => {
      if (!this.#isVisible) return;
      this.#render();
      // Not before the texts have loaded: an empty panel that fills the screen could not be closed.
      this.container.removeAttribute('data-prepared');
      this.container.hidden = false;
      this.#place.enter();
      // Not if the visitor has moved the focus meanwhile. It is on the body if a small screen hides the launcher.
      if (takeFocus && [activeElement, document.body].includes(document.activeElement))
        focusPanel(this.container);
    });
    this.#updateVisibility();
    // An inline chat leaves the floating chats of other tabs as they are.
    if (!this.options.isInline) this.conversation.setOpen(true);
    this.#open();
  }

  hide(): void {
    this.#isVisible = false;
    // It is still here if the page hides the launcher, which cannot take it then.
    if (this.container.matches(':focus-within')) (this.#opener as HTMLElement | null)?.focus();
    // A call continues, and its bar stays.
    this.container.hidden = !this.addOns.hide();
    this.#place.leave();
    this.conversation.pause();
    this.conversation.setOpen(false);
  }

  send(text: string): void {
    this.actions.send(text);
  }

  restart(): void {
    this.conversation.leave();
    if (this.#isVisible) this.#open();
  }

  forget(): void {
    this.conversation.forget();
  }

  /** Deletes what the panel itself has of the visitor, after `forget()` in any tab. */
  readonly #forget = (): void => {
    this.modules.get('messaging')?.deleteLeft(this);
    clearPanel(this.container, this.announcer);
    if (this.options.hasGate) void this.modules.load('gate').then(() => this.gate?.forget());
    // An inline chat stays visible.
    else if (this.options.isInline && this.host.element.isConnected) this.#open();
    this.requestRender();
    this.#place.forget();
  };

  connect(): void {
    document.addEventListener('visibilitychange', this.#updateVisibility);
    addEventListener('online', this.#online);
    this.#updateVisibility();
    if (!this.container.hidden) this.#place.enter();
    this.scroll.restore();
    if (this.#isVisible || this.conversation.opensInBackground) this.#open();
    this.#afterChange();
    this.requestRender();
  }

  disconnect(): void {
    document.removeEventListener('visibilitychange', this.#updateVisibility);
    removeEventListener('online', this.#online);
    this.conversation.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.addOns.stop();
    this.logController?.stop();
    this.#place.leave();
  }

  readonly #online = (): void => {
    this.conversation.online();
  };

  get isGateClosed(): boolean {
    return this.options.hasGate && this.gate?.isClosed !== false;
  }

  #open(): void {
    void (this.isGateClosed ? this.modules.load('gate') : this.conversation.open());
  }

  /** Updates whether the conversation is visible; messages that arrive while it is hidden are unread. */
  readonly #updateVisibility = (): void => {
    const { container } = this;
    // It is hidden until its texts have loaded.
    const isDisplayed = !!container.hidden || container.checkVisibility();
    const isVisible = this.#isVisible && !document.hidden && isDisplayed;
    if (isVisible === this.conversation.isVisible) return;
    this.conversation.setVisible(isVisible);
    this.requestRender();
  };

  readonly actions = createPanelActions(this, () => {
    // At once, so that nothing is appended to it. The rest waits for the next frame, so that the request is not delayed.
    this.#writeDraft(this.conversation.draft);
    this.scroll.goToEnd();
    this.requestRender();
  });

  #newConversation(): Conversation {
    const identity = this.#identity;
    let own: ChatOptions & SessionRequest;
    const isCurrent = (): boolean => conversation === this.conversation;
    const conversation: Conversation = createConversation(
      this.storage,
      this.modules,
      () => {
        const { addOns, gate, host, isGateClosed, options } = this;
        // A request in flight may continue after the page has switched to another user, whose data it must not get.
        if (identity === this.#identity) {
          const clientTools = addOns.tools;
          const answers = gate?.answers;
          own = { ...options, ...pageDataOf(host.element), answers, isGateClosed, clientTools };
        }
        return own;
      },
      {
        ...dispatchEvents(this, isCurrent, () => void this.#announce(1)),
        onForget: this.#forget,
        onChange: () => {
          if (!isCurrent()) return;
          this.#afterChange();
          this.addOns.conversationChanged();
          if (!this.logController?.throttle.delays(conversation.snapshot)) this.requestRender();
        },
      },
    );
    return conversation;
  }

  get locale(): Locale | undefined {
    return this.#texts.locale;
  }

  get markdown(): MarkdownRenderer | undefined {
    const { locale } = this;
    return locale && this.modules.get('markdown')?.rendererFor(this, locale);
  }

  /**
   * Announces new answers as rendered, without Markdown syntax; those that arrive together in one go. A greeting waits
   * for the messaging module.
   */
  async #announce(added: number): Promise<void> {
    this.#unannounced += added;
    if (this.#unannounced) await loadMarkdown(this.modules, this.conversation.snapshot);
    const count = this.#unannounced;
    const announcements = this.logController?.announcements;
    if (!announcements || !count || !this.locale) return;
    this.#unannounced = 0;
    this.#render();
    if (this.#isVisible) announcements.announce(true, count);
    else announcements.announceUnread();
  }

  /** Call after each change, also while the panel is hidden: loads modules, and shows the unread count. */
  #afterChange(): void {
    const { element } = this.host;
    // The page has removed the chat.
    if (!element.isConnected) return;
    const { snapshot } = this.conversation;
    loadNeeded(this.modules, element, snapshot);
    this.logController?.showUnread(snapshot.unread, this.locale);
  }

  #render(isHidden = false): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { locale } = this;
    if ((!this.#isVisible && this.container.hidden && !isHidden) || locale === undefined) return;
    const { draft, snapshot } = this.conversation;
    void loadMarkdown(this.modules, snapshot);
    this.container.toggleAttribute('data-blocked', !!this.options.setupProblem || this.isGateClosed);
    // Before the other changes, because setting the value of a focused field lays out the page. The first render adds it.
    this.#writeDraft(draft);
    const focused = this.host.shadowRoot.activeElement;
    render(panelView(this, locale, this.#pages), this.container);
    // The focused button may have disappeared.
    if (focused?.isConnected === false) focusPanel(this.container);
    this.#writeDraft(draft);
    this.scroll.afterRender(this.container.querySelector('[role="log"]') as Element);
    const isComplete = this.#pages * pageSize >= snapshot.messages.length;
    this.logController?.afterRender(isComplete);
    // Only when every module has loaded and times are shown, so that no message is rendered twice.
    if (!isComplete && hasModules(this.modules, snapshot) && this.logController?.showsTimes !== false) {
      this.#pages += 40;
      this.requestRender();
    }
    this.#afterChange();
  }

  /** Not a binding: the visitor changes the value too, and setting it again would move the cursor. */
  #writeDraft(draft: string): void {
    const input = this.container.querySelector<HTMLTextAreaElement>('[part="composer-input"]');
    if (input !== null && input.value !== draft) input.value = draft;
  }
}
