import type { ChatEventMap } from './events.ts';
import type { FormField } from './form-field.ts';
import type { PageTool } from './page-tool.ts';
import { defineProperties, observedAttributes, upgradeProperties, warnOnce } from './element/attributes.ts';
import { createLauncher, type Launcher } from './element/launcher.ts';
import { isAppearanceComplete, resolveAppearance } from './element/appearance.ts';
import type { Panel, PanelInput } from './element/panel-input.ts';
import { SettingsSource } from './element/settings-source.ts';
import { loadExtras, loadLocales, loadPanel, prefetchPanel, prefetchTalk } from './element/shell-modules.ts';
import { isFastConnection, whenIdle, whenNear } from './element/visitor.ts';
import shellCss from './element/shell.css?inline';
import type { Texts } from './texts/texts.ts';

export type { ChatEventMap, FormField, PageTool, Texts };

const uuid = /^[\da-f]{8}(-[\da-f]{4}){4}[\da-f]{8}$/i;

/** On a server there is no `HTMLElement`; there the class can be imported, and nothing more. */
const Base =
  (globalThis as { HTMLElement?: typeof HTMLElement }).HTMLElement ??
  (Object as unknown as typeof HTMLElement);

/**
 * `<voice-assistant-chat assistant-id="…">`: an AI assistant on any page.
 *
 * The element itself is a shell: it draws the launcher and waits. Everything else loads when a visitor is about to
 * open the chat, or at once with `open` or `inline`.
 *
 * @slot launcher - what stands in the launcher, instead of the icon and label
 * @slot header - further content of the panel's header
 * @slot consent - stands in place of the chat until the visitor presses something with `data-consent` in it
 * @slot notice - shown above the messages
 * @slot footer - shown below the composer
 * @csspart launcher - the button that opens the chat
 * @csspart teaser - the bubble that invites to chat
 * @csspart teaser-dismiss-button - its button that takes it away
 * @csspart panel - the chat itself
 * @csspart header - its head
 * @csspart test-mark - the mark of a preview, below the name
 * @csspart inspect-button - the button that shows and hides the drawer of a preview
 * @csspart restart-button - the button for a new conversation
 * @csspart undo - the line that says that this is a new conversation
 * @csspart undo-button - its button, the way back to the one before
 * @csspart menu-button - the button for what else there is: transcript, sound, deletion
 * @csspart close-button - the button that closes the panel
 * @csspart message-log - the messages, scrolling
 * @csspart message - a message; also `message-user`, `message-assistant` or `message-system`
 * @csspart message-tools - what can be done with a message, and its time
 * @csspart copy-button - the button that copies a message
 * @csspart rate-button - a thumb, up or down
 * @csspart latest-button - the way back to the end of the messages
 * @csspart earlier-button - the way to what was said before, in a history that came only in part
 * @csspart badge - the number of unread messages on the launcher
 * @csspart read-button - the button that reads an answer aloud, and stops
 * @csspart code - a block of code in an answer
 * @csspart typing - the sign that an answer is being written
 * @csspart problem - what went wrong and what to do
 * @csspart retry-button - the button that tries again or starts over
 * @csspart edit-button - the button that puts a failed message back into the composer
 * @csspart tool-request - a function of the page that the assistant asked for, and what became of it
 * @csspart go-on - holds the button that lets the assistant go on with what came of it
 * @csspart inspector - the drawer of a preview
 * @csspart composer - the form at the bottom
 * @csspart composer-input - the text field
 * @csspart dictate-button - the button that begins and ends dictation
 * @csspart send-button - its button; while an answer is being written and nothing else, it stops it
 * @csspart gate - what stands in place of the chat before the conversation: consent or form
 * @csspart form - the form before the conversation
 * @csspart start-button - its button
 * @csspart person - the line that says that a person answers
 * @csspart suggestions - what the visitor may say with one click
 * @csspart suggestion - each of it
 * @csspart resize-handle - the corner that the panel is resized by
 * @cssproperty --voice-assistant-chat-accent - the color of the launcher, the header and the visitor's messages
 * @cssproperty --voice-assistant-chat-accent-text - the color of links and of the focus ring
 * @cssproperty --voice-assistant-chat-surface - the background
 * @cssproperty --voice-assistant-chat-text - the color of text
 * @cssproperty --voice-assistant-chat-raised - the background of the assistant's messages
 * @cssproperty --voice-assistant-chat-muted - the color of text of less weight
 * @cssproperty --voice-assistant-chat-line - the color of dividing lines
 * @cssproperty --voice-assistant-chat-control - the color of borders of what can be used
 * @cssproperty --voice-assistant-chat-danger - the color of problems
 * @cssproperty --voice-assistant-chat-radius - corners of the panel and of messages
 * @cssproperty --voice-assistant-chat-font - font families
 * @cssproperty --voice-assistant-chat-font-size - the size of text
 * @cssproperty --voice-assistant-chat-width - the width of the panel
 * @cssproperty --voice-assistant-chat-height - the height of the panel
 * @cssproperty --voice-assistant-chat-launcher-size - the height of the launcher
 * @cssproperty --voice-assistant-chat-offset-x - the distance from the left or right side of the window
 * @cssproperty --voice-assistant-chat-offset-y - the distance from its top or bottom
 */
export class VoiceAssistantChat extends Base {
  static readonly observedAttributes = observedAttributes;

  /** Where the service is, unless `base-url` says otherwise. The script's own origin, set by the file that defines the element. */
  static defaultBaseUrl = '';

  static {
    defineProperties(this.prototype);
  }

  /** The assistant's UUID. */
  declare assistantId: string | null;
  /** The service's origin; its paths begin with `/api` below it. Default: the origin that served the script. */
  declare baseUrl: string | null;
  /** `widget` (default; billed to the assistant's owner) or `test` (free, and shows what the assistant did). */
  declare type: 'widget' | 'test';
  /** Key/value pairs for `{{variable_name}}` in the assistant's texts. The attribute takes JSON. */
  declare variables: Record<string, unknown> | undefined;
  /** `light`, `dark` or `auto`; overrides the assistant's. */
  declare theme: string | null;
  /** Any CSS color; overrides the assistant's. */
  declare color: string | null;
  /** A corner, as in `right-bottom`; overrides the assistant's. */
  declare position: string | null;
  /** Fills its box in the page instead of floating. */
  declare inline: boolean;
  /** Whether the panel shows. */
  declare open: boolean;
  /** Where the conversation and the draft are kept: `local` (default), `session` or `none`. */
  declare persist: 'local' | 'session' | 'none';
  /** The panel's title. Default: the assistant's name. */
  declare heading: string | null;
  declare subheading: string | null;
  /** Text on the launcher. Default: an icon alone. */
  declare launcherLabel: string | null;
  declare launcherSublabel: string | null;
  /** Hint in the empty composer. */
  declare placeholder: string | null;
  /** Shown in an empty conversation, when the assistant has no initial message. */
  declare greeting: string | null;
  /** Text of a bubble beside the launcher that invites to chat. */
  declare teaser: string | null;
  /** Seconds until the teaser shows. Default: 5. */
  declare teaserDelay: string | null;
  /** Who uses the browser: people with different keys never see each other's conversation. */
  declare userKey: string | null;
  /** Days after which a conversation is no longer gone on with. Default: 30. */
  declare keepDays: string | null;
  /** Origins, separated by white space, that images in answers may come from. */
  declare allowImages: string | null;
  /** Whether an answer that comes while the visitor is elsewhere makes a sound. */
  declare sound: boolean;
  /** Whether the visitor may dictate, and have answers read aloud. */
  declare voice: boolean;
  /** Whether answers say which functions the assistant used. */
  declare showFunctionCalls: boolean;
  /** `none` loads nothing of the panel before a visitor comes near the launcher. Default: `auto`. */
  declare preload: 'auto' | 'none';
  /** Whether the console tells what happens. */
  declare debug: boolean;
  /** What the page wants the assistant to know; sent as variables. */
  declare context: Readonly<Record<string, unknown>> | undefined;
  /** What to ask before the conversation begins: at most 20 fields, whose answers become variables. */
  declare form: readonly FormField[] | undefined;
  /** Texts of the site's own, by their key, instead of the language's. */
  declare messages: Partial<Texts> | undefined;
  /** What the visitor may say with one click: at most eight texts, until they say something. */
  declare suggestions: readonly string[] | undefined;
  /** What the page can do for the assistant. */
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
  #cancelIdle: (() => void) | undefined;
  #stopWatching: (() => void) | undefined;
  /** The language whose texts are loaded or being loaded. */
  #language = '';
  #texts: Partial<Texts> = {};
  readonly #notice = document.createElement('p');
  readonly #settings = new SettingsSource(() => {
    if (this.isConnected) this.#update();
  });

  connectedCallback(): void {
    upgradeProperties(this);
    if (!this.#root) this.#draw();
    this.#update();
    this.#callLoaded('connect');
  }

  disconnectedCallback(): void {
    // A move in the document is a removal and an insertion in one task. Only a real removal ends anything.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#cancelIdle?.();
      this.#stopWatching?.();
      this.#callLoaded('disconnect');
    });
  }

  attributeChangedCallback(_name: string, old: unknown, value: unknown): void {
    if (old === value || this.#isUpdateDue) return;
    this.#isUpdateDue = true;
    // Frameworks set attributes one by one; the panel gets them together.
    queueMicrotask(() => {
      if (this.#isUpdateDue && this.isConnected) this.#update();
    });
  }

  /** Shows the panel. The focus moves into it if a person's click or key press led to this call. */
  show(): void {
    this.#isByPerson = (navigator as { userActivation?: UserActivation }).userActivation?.isActive === true;
    this.open = true;
  }

  /** Hides the panel. The conversation stays. */
  hide(): void {
    this.open = false;
  }

  /** Shows the panel if it is hidden, and the other way round. */
  toggle(): void {
    if (this.open) this.hide();
    else this.show();
  }

  /**
   * Sends `text` as the visitor, opening a conversation if there is none; the panel need not show. A text that the
   * service would refuse is put into the composer instead, with the reason.
   */
  send(text: string): void {
    this.#call('send', text);
  }

  /** Leaves this conversation and begins a new one. */
  restart(): void {
    this.#call('restart');
  }

  /** Wipes the conversation, the draft and what else this browser keeps of the visitor, and hides the panel. */
  forget(): void {
    this.hide();
    this.#call('forget');
  }

  #draw(): void {
    const { button } = (this.#launcher = createLauncher());
    const root = (this.#root = document.createElement('div'));
    root.className = 'root';
    this.#notice.role = 'alert';
    root.append(button);
    const shadowRoot = this.attachShadow({ mode: 'open' });
    this.#sheet = new CSSStyleSheet();
    shadowRoot.adoptedStyleSheets = [this.#sheet];
    shadowRoot.append(root);

    const isPanelVisible = (): boolean => !!shadowRoot.querySelector('section:not([hidden])');
    button.onclick = () => {
      this.#isByPerson = true;
      // A second press while the panel loads does not close it.
      this.open = !this.open || !isPanelVisible();
    };
    button.onfocus = () => {
      this.#prepare();
    };
    root.onkeydown = ({ key }) => {
      // A chat that is still loading; the panel has its own.
      if (key === 'Escape' && !this.inline && !isPanelVisible()) this.hide();
    };
  }

  /** Brings the launcher in line with the attributes and the assistant's settings, and passes both to the panel. */
  #update(): void {
    this.#isUpdateDue = false;
    const root = this.#root as HTMLElement;
    const { button, setLabel } = this.#launcher as Launcher;
    const id = this.assistantId?.trim();
    const idProblem = this.#idProblem;
    if (idProblem) warnOnce(`assistant-id is ${idProblem}.`);
    const source = this.#settings;
    source.follow(idProblem ? '' : `${this.#origin}/api/assistants/${id}/widget`, id, this.#storage);
    const isComplete = isAppearanceComplete(this);
    if (!isComplete) void source.ask(this.#storage);
    this.#watchForVisitor();

    const { settings } = source;
    const appearance = resolveAppearance(this, { ...settings.widget_settings });
    const { block, inline } = appearance;
    const css = `${shellCss}.root{--_color:${appearance.color};color-scheme:${appearance.theme}}.root>*{${block}:calc(var(--voice-assistant-chat-offset-y,20px) + env(safe-area-inset-${block}));${inline}:calc(var(--voice-assistant-chat-offset-x,20px) + env(safe-area-inset-${inline}))}`;
    // Setting the same rules again would still style and lay out everything again.
    if (css !== this.#css) this.#sheet?.replaceSync((this.#css = css));
    Object.assign(root.dataset, appearance);
    root.toggleAttribute('data-pending', source.isUnknown && !this.open && !isComplete);
    setLabel(this.launcherLabel, this.launcherSublabel);
    this.#translate();
    button.hidden = this.inline;
    // In a dialog it belongs to the dialog: a popover would lie below one that opens later.
    root.popover = this.inline || this.closest('dialog') ? null : 'manual';
    if (root.popover) root.togglePopover(true);
    button.ariaExpanded = String(this.open);
    if (this.#panel) this.#call('update', this.#panelInput);
    this.#showOrHide();
  }

  /** Language, direction and name of the launcher. The panel, once it is there, sets them itself. */
  #translate(): void {
    const root = this.#root as HTMLElement;
    const { button } = this.#launcher as Launcher;
    if (!this.#panel) {
      const { language } = this.#settings.settings;
      const around = this.closest<HTMLElement>('[lang]') ?? document.documentElement;
      const tag =
        this.lang || (typeof language === 'string' && language) || around.lang || navigator.language;
      root.lang = tag;
      root.dir = this.getAttribute('dir') ?? (/^(ar|fa|he|iw|prs|ur)\b/i.test(tag) ? 'rtl' : 'ltr');
      if (tag !== this.#language) {
        this.#language = tag;
        this.#texts = {};
        // English is in the code.
        if (!/^en\b/i.test(tag)) this.#loadTexts(tag);
      }
    }
    // A name for where no text shows: a label and the slot's own text take precedence over a title.
    button.title = this.messages?.chat || this.#texts.chat || button.title || 'Chat';
  }

  #loadTexts(tag: string): void {
    whenIdle(() => {
      loadLocales()
        .then(({ loadTexts }) => loadTexts(tag))
        .then((locale) => {
          if (tag !== this.#language || this.#panel || !locale) return;
          this.#texts = locale.texts;
          this.#translate();
        }, ignore);
    });
  }

  /** Waits for idle time and for a hand near the launcher. */
  #watchForVisitor(): void {
    this.#cancelIdle?.();
    this.#stopWatching?.();
    this.#cancelIdle = whenIdle(() => {
      // An earlier visit left something to send or to read.
      if (this.#storage()?.getItem('voice-assistant-chat:wake')) this.#prepare();
      else if (this.teaser)
        loadExtras().then(({ showTeaser }) => {
          showTeaser(this, this.#root as HTMLElement);
        }, ignore);
      else if (this.preload !== 'none' && !this.#panel && isFastConnection()) prefetchPanel().catch(ignore);
    });
    if (!this.#panel && !this.inline)
      this.#stopWatching = whenNear((this.#launcher as Launcher).button, () => {
        this.#prepare();
      });
  }

  /** Loads and creates the panel before it is needed. */
  #prepare(): void {
    this.#panel ??= this.#createPanel();
    this.#panel.catch(ignore);
  }

  #showOrHide(): void {
    const isShown = this.open || this.inline;
    if (isShown === this.#isShown) return;
    this.#isShown = isShown;
    const takeFocus = this.#isByPerson;
    this.#isByPerson = false;
    if (isShown) {
      this.#notice.remove();
      void this.#settings.ask(this.#storage);
      this.#call('show', takeFocus);
    } else {
      // The focus returns to the launcher instead of being lost.
      if ((this.shadowRoot as ShadowRoot).activeElement) (this.#launcher as Launcher).button.focus();
      this.#callLoaded('hide');
    }
    this.#dispatch(isShown ? 'chat-open' : 'chat-close');
  }

  /** Calls the panel, loading it first. Calls made while that fails are made when it succeeds. */
  #call<Name extends keyof Panel>(name: Name, ...args: Parameters<Panel[Name]>): void {
    this.#calls.push((panel) => {
      (panel[name] as (...args: unknown[]) => void)(...args);
    });
    this.#panel ??= this.#createPanel();
    this.#panel.then((panel) => {
      for (const call of this.#calls.splice(0)) call(panel);
    }, this.#reportFailure);
  }

  #callLoaded<Name extends keyof Panel>(name: Name, ...args: Parameters<Panel[Name]>): void {
    if (this.#panel) this.#call(name, ...args);
  }

  async #createPanel(): Promise<Panel> {
    try {
      const { ChatPanel } = await loadPanel();
      return new ChatPanel(this, this.#panelInput);
    } catch (cause) {
      this.#panel = undefined;
      throw cause;
    }
  }

  /** Says beside the launcher that the panel could not be loaded. */
  readonly #reportFailure = (cause: unknown): void => {
    if (!this.#isShown) return;
    this.open = false;
    const message =
      this.messages?.network ?? this.#texts.network ?? 'The chat did not load. Reload the page.';
    this.#notice.textContent = message;
    this.#notice.style.marginBlock = `${(this.#launcher as Launcher).button.offsetHeight + 13}px`;
    this.#root?.append(this.#notice);
    warnOnce(`${message} ${cause as string}`);
    this.#dispatch('chat-error', { code: 'network', message });
  };

  #dispatch(name: keyof ChatEventMap, detail?: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  /** Why `assistant-id` cannot be an assistant's, if it cannot. */
  get #idProblem(): PanelInput['idProblem'] {
    const id = this.assistantId?.trim();
    return !id ? 'missing' : uuid.test(id) ? undefined : 'malformed';
  }

  /** The service's origin, without a trailing slash. */
  get #origin(): string {
    return (this.baseUrl?.trim() || VoiceAssistantChat.defaultBaseUrl).replace(/\/+$/, '');
  }

  get #panelInput(): PanelInput {
    const { settings } = this.#settings;
    const storage = this.#storage();
    return { baseUrl: this.#origin, idProblem: this.#idProblem, settings, storage, prefetchTalk };
  }

  /** The storage that `persist` names; undefined where nothing may be stored. */
  readonly #storage = (): Storage | undefined => {
    try {
      // There is no `noneStorage`: that throws, as blocked storage does.
      const storage = (globalThis as unknown as Record<string, Storage>)[`${this.persist}Storage`] as Storage;
      // Nothing is stored before the visitor consents. Read in any case: unreadable storage counts as none.
      if (storage.getItem('voice-assistant-chat:consent') || !this.querySelector('[slot=consent]'))
        return storage;
    } catch {
      // Blocked by the browser's settings.
    }
    return undefined;
  };
}

function ignore(): void {
  // A module that cannot be loaded is requested again when it is next needed.
}
