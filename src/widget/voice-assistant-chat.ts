import type { ChatEventMap } from './events.ts';
import type { FormField } from './form-field.ts';
import type { PageTool } from './page-tool.ts';
import { defineProperties, observedAttributes, upgradeProperties } from './element/attributes.ts';
import { createLauncher, type Launcher } from './element/launcher.ts';
import { createLauncherLanguage } from './element/launcher-language.ts';
import { isAppearanceComplete, resolveAppearance } from './element/appearance.ts';
import type { Panel, PanelInput } from './element/panel-input.ts';
import { SettingsSource } from './element/settings-source.ts';
import {
  BaseElement,
  defaultBaseUrl,
  hasOwnOrigin,
  loadExtras,
  loadPanel,
  preload,
} from './element/shell-modules.ts';
import { isFastConnection } from './element/is-fast-connection.ts';
import { whenIdle } from './element/when-idle.ts';
import { whenNear } from './element/when-near.ts';
import { warnOnce } from './warn-once.ts';
import shellCss from './element/shell.css?inline';
import type { Texts } from './texts/texts.ts';

export type { ChatEventMap, FormField, PageTool, Texts };

/** A corner in either order, or a side. */
export type Position =
  | `${'right' | 'left'}-${'bottom' | 'top'}`
  | `${'bottom' | 'top'}-${'right' | 'left'}`
  | 'right'
  | 'left'
  | 'top'
  | 'bottom';

declare global {
  interface HTMLElementTagNameMap {
    'voice-assistant-chat': VoiceAssistantChat;
  }
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- merges the events into every listener's types
  interface GlobalEventHandlersEventMap extends ChatEventMap {}
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){4}[\da-f]{8}$/i;

/**
 * `<voice-assistant-chat assistant-id="…">`: an AI assistant on any page.
 *
 * The element itself is a shell that draws the launcher. Everything else loads when a visitor is about to open the
 * chat, or immediately with `open` or `inline`.
 *
 * @slot launcher - content of the launcher, instead of icon and label
 * @slot header - additional content of the panel's header
 * @slot consent - replaces the chat until the visitor presses an element with `data-consent` in it
 * @slot notice - shown above the messages
 * @slot footer - shown below the composer
 * @csspart launcher - the button that opens the chat
 * @csspart teaser - the bubble beside the launcher
 * @csspart teaser-dismiss-button - the button that dismisses the teaser
 * @csspart panel - the chat panel
 * @csspart header - the header of the panel
 * @csspart test-mark - the label of a preview, below the name
 * @csspart inspect-button - the button that shows and hides the drawer of a preview
 * @csspart restart-button - the button that starts a new conversation
 * @csspart undo - the notice that a new conversation has started
 * @csspart undo-button - the button that returns to the previous conversation
 * @csspart call-button - the button that starts a call
 * @csspart call-offer - the button above the composer that starts a call, until the visitor writes
 * @csspart call - the bar of a call: its state, and its buttons
 * @csspart call-stop-button - the button that stops the assistant while it speaks
 * @csspart call-mute-button - the button that mutes the microphone
 * @csspart call-devices-button - the button that shows the microphones and speakers
 * @csspart call-end-button - the button that hangs up
 * @csspart call-dismiss-button - the button that removes the bar after a call
 * @csspart menu-button - the button of the menu: transcript, sound, deletion
 * @csspart close-button - the button that closes the panel
 * @csspart message-log - the scrolling list of messages
 * @csspart message - a message by any author
 * @csspart message-user - a message of the visitor
 * @csspart message-assistant - a message of the assistant
 * @csspart message-system - a message about the conversation, such as a human handoff
 * @csspart message-author - the name of a person who wrote a message instead of the assistant
 * @csspart message-tools - the actions of a message, and its time
 * @csspart copy-button - the button that copies a message
 * @csspart rate-button - a thumbs up or down button
 * @csspart latest-button - the button that scrolls to the latest message
 * @csspart earlier-button - the button that loads earlier messages of a long history
 * @csspart badge - the number of unread messages on the launcher
 * @csspart read-button - the button that starts and stops reading an answer aloud
 * @csspart code - a block of code in an answer
 * @csspart typing - the typing indicator
 * @csspart problem - an error and its next step
 * @csspart retry-button - the button that retries or starts over
 * @csspart edit-button - the button that moves a failed message back into the composer
 * @csspart tool-request - a request to call a page tool, and its outcome
 * @csspart continue - contains the button that lets the assistant continue with the outcome
 * @csspart inspector - the drawer of a preview
 * @csspart composer - the form at the bottom
 * @csspart composer-input - the text field
 * @csspart dictate-button - the button that starts and stops dictation
 * @csspart send-button - the send button; it stops the answer while one is being written and the composer is empty
 * @csspart gate - consent or form, shown instead of the chat before the conversation
 * @csspart form - the form before the conversation
 * @csspart start-button - the submit button of the form
 * @csspart person - the notice that a person has taken over
 * @csspart suggestions - the suggested messages
 * @csspart suggestion - one suggested message
 * @csspart resize-handle - the corner that resizes the panel
 * @cssproperty --voice-assistant-chat-accent - the color of the launcher, the header and the visitor's messages; overrides `color`. Default: the assistant's
 * @cssproperty --voice-assistant-chat-accent-text - the color of links and of the focus ring. Default: the accent, with corrected contrast
 * @cssproperty --voice-assistant-chat-surface - the background. Default: white, or nearly black
 * @cssproperty --voice-assistant-chat-text - the color of text. Default: nearly black, or nearly white
 * @cssproperty --voice-assistant-chat-raised - the background of the assistant's messages. Default: 6% text on the surface
 * @cssproperty --voice-assistant-chat-muted - the color of secondary text. Default: 74% text on the surface
 * @cssproperty --voice-assistant-chat-line - the color of dividing lines. Default: 14% text on the surface
 * @cssproperty --voice-assistant-chat-control - the color of borders of controls. Default: 52% text on the surface
 * @cssproperty --voice-assistant-chat-danger - the color of errors. Default: a red
 * @cssproperty --voice-assistant-chat-radius - corners of the panel and of messages; smaller elements use a fraction of it. Default: `16px`
 * @cssproperty --voice-assistant-chat-font - font families. Default: `system-ui`
 * @cssproperty --voice-assistant-chat-font-size - the size of text; all other sizes derive from it. Default: `15px`
 * @cssproperty --voice-assistant-chat-width - the width of the panel. Default: `400px`
 * @cssproperty --voice-assistant-chat-height - the height of the panel. Default: `640px`
 * @cssproperty --voice-assistant-chat-launcher-size - the height of the launcher, and its width without a label. Default: `56px`
 * @cssproperty --voice-assistant-chat-offset-x - the distance from the left or right side of the window. Default: `20px`
 * @cssproperty --voice-assistant-chat-offset-y - the distance from its top or bottom. Default: `20px`
 */
export class VoiceAssistantChat extends (BaseElement as typeof HTMLElement) {
  static readonly observedAttributes = observedAttributes;

  /** The service's origin for elements without `base-url`. Builds for script tags set it to the script's origin. */
  static defaultBaseUrl = defaultBaseUrl;

  static {
    defineProperties(this.prototype);
  }

  /** The assistant's UUID. If it is missing or malformed, the panel says so and sends no request. */
  declare assistantId: string | null;
  /**
   * The service's origin; its paths begin with `/api` below it. Default: the origin that served the script; required if
   * a bundler has built it.
   */
  declare baseUrl: string | null;
  /**
   * `widget` (default) or `test`. `widget` is billed to the assistant's owner; `test` is free, within a daily limit, and
   * shows function calls and timings. Other values warn.
   */
  declare type: 'widget' | 'test';
  /**
   * An object with values for `{{variable_name}}` in the assistant's texts. The attribute takes JSON; anything else
   * warns.
   */
  declare variables: object | undefined;
  /** `light`, `dark`, `auto` or `system` (both: the visitor's). Default: the assistant's, else `auto`. */
  declare theme: 'light' | 'dark' | 'auto' | 'system' | null;
  /** Any CSS color that needs no context. Default: the assistant's, else `#2f5bea`. */
  declare color: string | null;
  /**
   * A corner in either order, such as `right-bottom`, or one side. Default: the assistant's, else `right-bottom`.
   */
  declare position: Position | null;
  /** Fills its box in the page instead of floating. Default: false. */
  declare inline: boolean;
  /** Whether the panel is shown. Reflects the visitor's choice. Default: false. */
  declare open: boolean;
  /**
   * The storage for conversation and draft: `local` (default), `session` (until the tab closes) or `none`. Other
   * values warn.
   */
  declare persist: 'local' | 'session' | 'none';
  /** The panel's title. Default: the assistant's name, else “Chat”. */
  declare heading: string | null;
  /** A line below the title. Default: none. */
  declare subheading: string | null;
  /** Text on the launcher. Default: an icon alone, with the accessible name “Chat”. */
  declare launcherLabel: string | null;
  /** A line below the launcher's label. Default: none. */
  declare launcherSublabel: string | null;
  /** Hint in the empty composer. Default: “Write a message…”. */
  declare placeholder: string | null;
  /**
   * Text of an empty conversation if the assistant has no initial message; not part of the conversation. Default:
   * “Ask your first question.”
   */
  declare greeting: string | null;
  /** Text of a bubble beside the launcher that invites to chat. Default: none. */
  declare teaser: string | null;
  /** Seconds until the teaser is shown. Default: 5. */
  declare teaserDelay: number | string | null;
  /** Identifies the person who uses the browser. Each key has its own conversation. Use an opaque value. */
  declare userKey: string | null;
  /** Proves who uses the chat: a JWT signed by the site or, with `type="test"`, the owner's preview token. */
  declare userToken: string | null;
  /** Days until a stored conversation expires. Default: 30. */
  declare keepDays: number | string | null;
  /**
   * Origins that images in answers may be loaded from, separated by white space. Default: none; images are links.
   */
  declare allowImages: string | null;
  /** Plays a sound for answers that arrive while the visitor is elsewhere. Default: false. */
  declare sound: boolean;
  /**
   * `call` lets visitors talk with an assistant that offers calls; `dictation`, or no value, lets them dictate and have answers read
   * aloud; `none` turns both off. Other values warn. Default: the assistant's, else none.
   */
  declare voice: 'call' | 'dictation' | 'none' | '' | true | null;
  /** Names the functions that the assistant called below its answers, except page tools. Default: false. */
  declare showFunctionCalls: boolean;
  /**
   * `auto` (default) or `none`, which loads nothing of the panel before a pointer comes near the launcher, unless an
   * earlier visit left unread or unsent messages or an open panel. Other values warn.
   */
  declare preload: 'auto' | 'none';
  /** Logs what the chat does to the console, without texts and ids. Default: false. */
  declare debug: boolean;
  /** An object with facts about the page for the assistant, sent as variables; `variables` override them. */
  declare context: object | undefined;
  /** Fields to fill in before the conversation, at most 20; their values become variables. */
  declare form: readonly FormField[] | undefined;
  /** Texts by key that replace those of the language. */
  declare messages: Partial<Texts> | undefined;
  /** Messages that the visitor can send with one click, at most eight. They show until the visitor writes. */
  declare suggestions: readonly string[] | undefined;
  /** Functions of the page that the assistant may call. */
  declare tools: readonly PageTool[] | undefined;

  #root: HTMLElement | undefined;
  #launcher: Launcher | undefined;
  #sheet: CSSStyleSheet | undefined;
  #css = '';
  #panel: Promise<Panel> | undefined;
  readonly #calls: ((panel: Panel) => void)[] = [];
  #isShown = false;
  #isByPerson = false;
  #isUpdateDue = false;
  #watch: AbortController | undefined;
  readonly #language = createLauncherLanguage(() => {
    this.#writeNotice();
    this.#translate();
  });
  readonly #notice = document.createElement('p');
  readonly #settings = new SettingsSource(
    () => {
      this.#update();
    },
    () => this.#storage(),
  );

  connectedCallback(): void {
    upgradeProperties(this as unknown as Record<string, unknown>);
    if (!this.#root) this.#createRoot();
    this.#update();
    this.#callLoaded('connect');
  }

  disconnectedCallback(): void {
    // Moving an element disconnects and connects it in one task. Only a lasting removal counts. How a chat survives
    // routers that replace the page: keep-across-page-swaps.ts.
    queueMicrotask(() => {
      if (this.isConnected) return;
      // The page has replaced <html>, as React 18 does after failed hydration.
      // `document.open` removes it too, with all handlers of the chat, so that chat is lost.
      if (this.matches('html>*') && (this.#launcher as Launcher).button.onclick)
        (document.documentElement as Element | null)?.append(this);
      else {
        this.#watch?.abort();
        this.#callLoaded('disconnect');
      }
    });
  }

  attributeChangedCallback(_name: string, old: unknown, value: unknown): void {
    if (old === value || this.#isUpdateDue) return;
    this.#isUpdateDue = true;
    // Frameworks set attributes one by one; one update covers all of them.
    queueMicrotask(() => {
      if (this.#isUpdateDue) this.#update();
    });
  }

  /** Shows the panel. The focus moves into it if a click or key press led to this call (transient user activation). */
  show(): void {
    this.#isByPerson = !!(navigator as { userActivation?: UserActivation }).userActivation?.isActive;
    this.open = true;
  }

  /** Hides the panel. The conversation stays. */
  hide(): void {
    this.open = false;
  }

  /** Shows the panel if it is hidden, and hides it otherwise. */
  toggle(): void {
    if (this.open) this.hide();
    else this.show();
  }

  /**
   * Sends `text` as the visitor's message and opens a conversation if there is none; the panel need not be visible. A
   * text that the service would refuse is put into the composer instead, with the reason.
   */
  send(text: string): void {
    this.#call('send', text);
  }

  /** Leaves the conversation and opens a new one. */
  restart(): void {
    this.#call('restart');
  }

  /**
   * Hides the panel, deletes the conversation, the draft, the visitor's consent, the entries in the form and the panel's
   * size from this browser, and asks the service to delete the conversation.
   */
  forget(): void {
    this.hide();
    this.#call('forget');
  }

  #createRoot(): void {
    const { button } = (this.#launcher = createLauncher());
    const root = (this.#root = document.createElement('div'));
    root.className = 'root';
    this.#notice.role = 'alert';
    root.append(button);
    const shadowRoot = this.attachShadow({ mode: 'open' });
    this.#sheet = new CSSStyleSheet();
    shadowRoot.adoptedStyleSheets = [this.#sheet];
    shadowRoot.append(root);

    const findVisiblePanel = () => shadowRoot.querySelector('section:not([hidden])');
    button.onclick = () => {
      this.#isByPerson = true;
      // A second press while the panel loads does not close it.
      this.open = !this.open || !findVisiblePanel();
    };
    button.onfocus = () => {
      this.#prepare();
    };
    root.onkeydown = ({ key }) => {
      // While the panel is loading. Once loaded, it handles Escape itself.
      if (key === 'Escape' && !this.inline && !findVisiblePanel()) this.hide();
    };
  }

  /** Applies the attributes and the assistant's settings to the launcher, and passes both to the panel. */
  #update(): void {
    if (!this.isConnected) return;
    this.#isUpdateDue = false;
    const root = this.#root as HTMLElement;
    const { button, setLabel } = this.#launcher as Launcher;
    const id = this.assistantId?.trim();
    const source = this.#settings;
    source.follow(this.#setupProblem ? '' : `${this.#origin}/api/assistants/${id}/widget`, id);
    const isComplete = isAppearanceComplete(this);
    if (!isComplete) void source.ask();
    this.#watchForVisitor();

    const { settings } = source;
    const appearance = resolveAppearance(this, { ...settings.widget_settings });
    const { block, inline } = appearance;
    const css = `${shellCss}.root{--_color:${appearance.color};color-scheme:${appearance.theme}}.root>*{${block}:calc(var(--voice-assistant-chat-offset-y,20px) + env(safe-area-inset-${block}));${inline}:calc(var(--voice-assistant-chat-offset-x,20px) + env(safe-area-inset-${inline}))}`;
    // Replacing the rules with the same ones would still trigger style and layout.
    // Simulated documents of test runners have no `replaceSync`.
    if (css !== this.#css) (this.#sheet as Partial<CSSStyleSheet>).replaceSync?.((this.#css = css));
    Object.assign(root.dataset, appearance);
    root.toggleAttribute('data-pending', source.isUnknown && !this.open && !isComplete);
    setLabel(this.launcherLabel, this.launcherSublabel);
    this.#translate();
    button.hidden = this.inline;
    // Not a popover inside a dialog: a dialog that opens later would cover it.
    root.popover = this.inline || this.closest('dialog') ? null : 'manual';
    // Simulated documents of test runners have no popovers.
    if (root.popover) (root as Partial<HTMLElement>).togglePopover?.(true);
    button.ariaExpanded = this.open as unknown as string;
    if (this.#panel) this.#call('update', this.#panelInput);
    this.#showOrHide();
  }

  /** Sets the launcher's language, direction and name. Once the panel has loaded, it sets them itself. */
  #translate(): void {
    if (this.#panel) return;
    this.#language.follow(this, this.#root as HTMLElement, this.#settings.settings.language);
    // The accessible name if the launcher shows no text: a label and slotted text take precedence over a title.
    (this.#launcher as Launcher).button.title = this.messages?.chat || this.#language.texts.chat || 'Chat';
  }

  /**
   * When the page is idle: warns if an attribute is missing or malformed, and creates the panel if an earlier visit left
   * something for it, else shows the teaser, else downloads the panel. When a pointer comes near the launcher: creates
   * the panel.
   */
  #watchForVisitor(): void {
    this.#watch?.abort();
    const loadEarly = (): void => {
      if (!this.isConnected) return;
      // Not earlier: some frameworks set attributes after they have inserted the element.
      const problem = this.#setupProblem;
      // From a code like `assistant-id-missing` or `assistant-id-malformed`.
      if (problem) warnOnce(`${problem.replace('-m', ' is m')}.`);
      // An earlier visit left pending or unread messages, or an open panel.
      if (this.#storage()?.getItem('voice-assistant-chat:wake')) this.#prepare();
      else if (this.teaser)
        loadExtras().then(({ showTeaser }) => {
          showTeaser(this, this.#root as HTMLElement);
        }, ignore);
      // A site's bundler decides itself what it loads early.
      else if (hasOwnOrigin && this.preload !== 'none' && isFastConnection()) loadPanel().catch(ignore);
    };
    // The launcher shows first. A hidden tab shows no frame.
    if (document.hidden) whenIdle(loadEarly);
    else
      requestAnimationFrame(() => {
        whenIdle(loadEarly);
      });
    if (!this.#panel && !this.inline)
      this.#watch = whenNear((this.#launcher as Launcher).button, () => {
        this.#prepare();
      });
  }

  /** Loads and creates the panel, and makes the queued calls. */
  #prepare(onFailure: (cause: unknown) => void = ignore): void {
    this.#panel ??= this.#createPanel();
    this.#panel.then((panel) => {
      // An error of one call must not drop the next ones.
      for (let call; (call = this.#calls.shift());) call(panel);
    }, onFailure);
  }

  #showOrHide(): void {
    const isShown = this.open || this.inline;
    // Also for an assistant that replaces another one meanwhile: an open chat shows its name.
    if (isShown) void this.#settings.ask();
    if (isShown === this.#isShown) return;
    this.#isShown = isShown;
    const takeFocus = this.#isByPerson;
    this.#isByPerson = false;
    if (isShown) {
      // Not `remove`: Prototype.js replaces it with a version that throws for an element without a parent.
      this.#notice.replaceWith();
    } else {
      // The focus returns to the launcher instead of being lost, also from content of the page in a slot. Not
      // `:focus-within`: in Chromium, an element does not match it for the content of its popover.
      if (this.contains((this.getRootNode() as Document | ShadowRoot).activeElement))
        (this.#launcher as Launcher).button.focus();
      this.#callLoaded('hide');
    }
    // Not yet: frameworks add listeners in the task that inserts a chat that is open.
    queueMicrotask(() => {
      this.#dispatch(isShown ? 'chat-open' : 'chat-close');
      // Afterwards, so that the page can still set what the conversation opens with.
      if (isShown && this.#isShown) this.#call('show', takeFocus);
    });
  }

  /** Calls a method of the panel, loading it first. If loading fails, calls stay queued until it succeeds. */
  #call<Name extends keyof Panel>(name: Name, ...args: Parameters<Panel[Name]>): void {
    // A call applies to the user, the assistant and the form that the page set in the same task.
    if (this.#isUpdateDue) this.#update();
    this.#calls.push((panel) => {
      (panel[name] as (...args: unknown[]) => void)(...args);
    });
    this.#prepare(this.#reportFailure);
  }

  #callLoaded(name: 'connect' | 'disconnect' | 'hide'): void {
    if (this.#panel) this.#call(name);
  }

  async #createPanel(): Promise<Panel> {
    try {
      const { ChatPanel } = await loadPanel();
      this.#notice.replaceWith();
      return new ChatPanel(this, this.#panelInput);
    } catch (cause) {
      this.#panel = undefined;
      // An inline chat has no launcher to press again. If the page has removed it, putting it back shows it again.
      if (this.inline)
        setTimeout(() => {
          this.#isShown &&= this.isConnected;
          if (this.#isShown) this.#call('update', this.#panelInput);
        }, 5000);
      throw cause;
    }
  }

  #writeNotice(): string {
    return (this.#notice.textContent =
      this.messages?.network ?? this.#language.texts.network ?? 'The chat did not load.');
  }

  /** Shows beside the launcher, or in the box of an inline chat, that the panel could not be loaded. */
  readonly #reportFailure = (cause: unknown): void => {
    if (!this.#isShown || this.#notice.isConnected) return;
    this.open = false;
    const message = this.#writeNotice();
    this.#root?.append(this.#notice);
    warnOnce(`${message} ${cause as string}`);
    this.#dispatch('chat-error', { code: 'network', message });
  };

  #dispatch(name: keyof ChatEventMap, detail?: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  /** Why the attributes cannot lead to a conversation, if they cannot. */
  get #setupProblem(): PanelInput['setupProblem'] {
    const id = this.assistantId?.trim();
    if (!id) return 'assistant-id-missing';
    if (!uuid.test(id)) return 'assistant-id-malformed';
    return hasOwnOrigin || this.#origin ? undefined : 'base-url-missing';
  }

  /** The service's origin, without a trailing slash. */
  get #origin(): string {
    return (this.baseUrl?.trim() || VoiceAssistantChat.defaultBaseUrl).replace(/\/+$/, '');
  }

  get #panelInput(): PanelInput {
    return {
      baseUrl: this.#origin,
      setupProblem: this.#setupProblem,
      settings: this.#settings.settings,
      storage: this.#storage(),
      preload,
    };
  }

  /** The storage that `persist` names; undefined if nothing may be stored. */
  #storage(): Storage | undefined {
    try {
      // `noneStorage` does not exist, so the next line throws, as it does for blocked storage.
      const storage = (globalThis as unknown as Record<string, Storage>)[`${this.persist}Storage`] as Storage;
      // Nothing is stored before the visitor consents. Reading comes first: it throws if storage is unreadable.
      if (storage.getItem('voice-assistant-chat:consent') || !this.querySelector('[slot=consent]'))
        return storage;
    } catch {
      // Blocked by the browser's settings.
    }
    return undefined;
  }
}

function ignore(): void {
  // A module that cannot be loaded is requested again when it is next needed.
}
