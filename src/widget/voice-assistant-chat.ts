import type { ChatEventMap } from './events.ts';
import { defineProperties, observedAttributes, upgradeProperties, warnOnce } from './shell/attributes.ts';
import { luminance, parseColor, readableOn, toCss } from './shell/contrast.ts';
import { createLauncher, type Launcher } from './shell/launcher.ts';
import { isComplete, resolveLook } from './shell/look.ts';
import type { Panel, PanelHost, PanelInput } from './shell/panel-host.ts';
import { SettingsSource } from './shell/settings-source.ts';
import shellCss from './shell/shell.css?inline';

export type { ChatEventMap };

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

let shellSheet: CSSStyleSheet | undefined;

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
 * @slot notice - shown above the messages: a consent gate goes there
 * @slot footer - shown below the composer
 * @csspart launcher - the button that opens the chat
 * @csspart panel - the chat itself
 * @csspart header - its head
 * @csspart test-mark - the mark of a preview
 * @csspart restart-button - the button for a new conversation
 * @csspart close-button - the button that closes the panel
 * @csspart message-log - the messages, scrolling
 * @csspart message - a message; also `message-user`, `message-assistant` or `message-system`
 * @csspart code - a block of code in an answer
 * @csspart typing - the sign that an answer is being written
 * @csspart problem - what went wrong and what to do
 * @csspart retry-button - the button that tries again or starts over
 * @csspart inspector - the drawer of a preview
 * @csspart composer - the form at the bottom
 * @csspart composer-input - the text field
 * @csspart send-button - its button
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

  #root: HTMLElement | undefined;
  #launcher: Launcher | undefined;
  #colors: CSSStyleSheet | undefined;
  #input: PanelInput | undefined;
  #panel: Promise<Panel> | undefined;
  readonly #calls: ((panel: Panel) => void)[] = [];
  #isShown = false;
  #isByPerson = false;
  #isUpdateDue = false;
  readonly #source = new SettingsSource(() => {
    this.#update();
  });

  connectedCallback(): void {
    upgradeProperties(this);
    if (this.#root === undefined) this.#draw();
    this.#update();
    this.#withLoadedPanel((panel) => {
      panel.connect();
    });
  }

  disconnectedCallback(): void {
    // A move in the document is a removal and an insertion in one task: only what stays away is let go.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#source.stop();
      this.#withLoadedPanel((panel) => {
        panel.disconnect();
      });
    });
  }

  attributeChangedCallback(_name: string, old: string | null, value: string | null): void {
    if (old === value || this.#isUpdateDue) return;
    this.#isUpdateDue = true;
    // Frameworks set attributes one by one; the panel sees them together.
    queueMicrotask(() => {
      this.#isUpdateDue = false;
      if (this.isConnected) this.#update();
    });
  }

  /** Shows the panel. The focus moves into it if a person's click or key press led to this call. */
  show(): void {
    this.#isByPerson = (navigator as { userActivation?: UserActivation }).userActivation?.isActive ?? false;
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
    this.#withPanel((panel) => {
      panel.send(text);
    });
  }

  /** Leaves this conversation and begins a new one. */
  restart(): void {
    this.#withPanel((panel) => {
      panel.restart();
    });
  }

  /** Wipes the conversation, the draft and what else this browser keeps of the visitor, and hides the panel. */
  forget(): void {
    this.hide();
    this.#withPanel((panel) => {
      panel.forget();
    });
  }

  #draw(): void {
    const { button } = (this.#launcher = createLauncher());
    this.#root = document.createElement('div');
    this.#root.className = 'root';
    this.#root.append(button);
    const shadowRoot = this.attachShadow({ mode: 'open' });
    shellSheet ??= sheetOf(shellCss);
    this.#colors = sheetOf('');
    shadowRoot.adoptedStyleSheets = [shellSheet, this.#colors];
    shadowRoot.append(this.#root);

    button.addEventListener('click', () => {
      this.#isByPerson = true;
      this.open = !this.open;
    });
    // A hand on its way to the button: what the panel needs is fetched meanwhile.
    for (const sign of ['pointerenter', 'focus']) {
      button.addEventListener(sign, () => void loadPanel().catch(() => undefined), { once: true });
    }
  }

  /** Brings everything that shows in line with the attributes and with what the service says of the assistant. */
  #update(): void {
    const root = this.#root as HTMLElement;
    const launcher = this.#launcher as Launcher;
    const { theme, color, position } = this;
    const own = { theme, color, position };
    const baseUrl = (this.baseUrl?.trim() || VoiceAssistantChat.defaultBaseUrl).replace(/\/+$/, '');
    const id = this.assistantId?.trim();
    const idProblem = !id ? 'missing' : uuid.test(id) ? undefined : 'malformed';
    if (idProblem) warnOnce(`assistant-id is ${idProblem}.`);
    const storage = this.#storage;
    const address = idProblem ? '' : `${baseUrl}/api/assistants/${id}/widget`;
    this.#source.follow(address, storage, isComplete(own));

    const { settings } = this.#source;
    const look = resolveLook(own, { ...settings.widget_settings });
    const accent = parseColor(look.color, root);
    this.#input = { baseUrl, idProblem, settings, storage, accent };
    this.#colors?.replaceSync(`.root{--_accent:${toCss(accent)};--_on-accent:${readableOn(accent)}}`);
    Object.assign(root.dataset, look);
    root.toggleAttribute('data-pending', this.#source.isPending && !this.open);
    launcher.setLabel(this.launcherLabel, this.launcherSublabel);
    launcher.button.hidden = this.inline;
    launcher.button.ariaExpanded = String(this.open);
    this.#withLoadedPanel((panel) => {
      panel.update(this.#input as PanelInput);
    });
    this.#showOrHide();
  }

  #showOrHide(): void {
    const isShown = this.open || this.inline;
    if (isShown === this.#isShown) return;
    this.#isShown = isShown;
    const takeFocus = this.#isByPerson;
    this.#isByPerson = false;
    if (isShown) {
      void this.#source.ask();
      this.#withPanel((panel) => {
        // By now the wish may have changed.
        if (this.#isShown) panel.show(takeFocus);
      });
    } else {
      // The focus goes back to where it came from, and not to nowhere.
      if (this.shadowRoot?.activeElement) this.#launcher?.button.focus();
      this.#withLoadedPanel((panel) => {
        if (!this.#isShown) panel.hide();
      });
    }
    this.#dispatch(isShown ? 'chat-open' : 'chat-close');
  }

  /** Calls the panel, loading it first. What a page sent while that failed is sent when it succeeds. */
  #withPanel(call: (panel: Panel) => void): void {
    this.#calls.push(call);
    this.#panel ??= this.#createPanel();
    this.#withLoadedPanel((panel) => {
      for (const waiting of this.#calls.splice(0)) waiting(panel);
    });
  }

  async #createPanel(): Promise<Panel> {
    try {
      const { ChatPanel } = await loadPanel();
      const host: PanelHost = {
        element: this,
        root: this.#root as HTMLElement,
        luminance,
        dispatch: this.#dispatch,
        close: () => {
          this.hide();
        },
      };
      return new ChatPanel(host, this.#input as PanelInput);
    } catch (cause) {
      this.#panel = undefined;
      this.open = false;
      const message = 'The chat could not be loaded. Reload the page to try again.';
      const notice = document.createElement('p');
      notice.role = 'alert';
      notice.textContent = message;
      this.#root?.append(notice);
      this.addEventListener(
        'chat-open',
        () => {
          notice.remove();
        },
        { once: true },
      );
      warnOnce(`${message} ${String(cause)}`);
      this.#dispatch('chat-error', { code: 'network', message });
      throw cause;
    }
  }

  #withLoadedPanel(call: (panel: Panel) => void): void {
    this.#panel?.then(call, () => undefined);
  }

  readonly #dispatch: PanelHost['dispatch'] = (name, detail) =>
    this.dispatchEvent(
      new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: name === 'chat-send' }),
    );

  get #storage(): Storage | undefined {
    const { persist } = this;
    try {
      return persist === 'none' ? undefined : globalThis[`${persist}Storage`];
    } catch {
      return undefined; // Blocked by the browser's settings: nothing is kept then.
    }
  }
}

function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

function loadPanel() {
  return import('./panel/chat-panel.ts');
}
