import type { LookSettings } from './look.ts';
import { whenIdle } from './when-idle.ts';

/** What a page learns of an assistant before anyone chats. */
export interface AssistantSettings {
  readonly name?: unknown;
  readonly language?: unknown;
  readonly widget_settings?: LookSettings | null;
}

/** How old a copy from an earlier visit may be before it is fetched anew, milliseconds. */
const freshFor = 600_000;

/** How long the launcher waits for an unknown look before it shows in the default one, milliseconds. */
const lookPatience = 1000;

/** How long the settings may take to arrive, milliseconds. It also bounds what an endless answer can fill memory with. */
const patience = 5000;

/**
 * Learns an assistant's settings: from the last visit, or from the service once the page has nothing better to do.
 * The look is never worth an error message, so services without the endpoint and nonsense give empty settings.
 */
export class SettingsSource {
  settings: AssistantSettings = {};
  /** Whether the look is still on its way, and the launcher better waits than changes its color in sight. */
  isPending = false;

  readonly #onChange: () => void;
  #address = '';
  #storage: Storage | undefined;
  #isAsked = true;
  #cancel: (() => void) | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Follows one assistant; calling it again with the same one changes nothing.
   *
   * @param address the endpoint's URL (interface: `GET /assistants/{uuid}/widget`), empty for none
   * @param isLookKnown whether the site's attributes leave no look to ask for
   */
  follow(address: string, storage: Storage | undefined, isLookKnown: boolean): void {
    if (storage !== this.#storage) {
      this.#storage?.removeItem(this.#key);
      this.#storage = storage;
    }
    if (address !== this.#address) {
      this.stop();
      this.#address = address;
      this.#isAsked = !address;
      this.isPending = true;
      try {
        const [settings, savedAt] = JSON.parse(storage?.getItem(this.#key) ?? '') as [
          AssistantSettings,
          number,
        ];
        this.settings = { ...settings };
        this.isPending = false;
        this.#isAsked = Date.now() - savedAt < freshFor;
      } catch {
        this.settings = {}; // Nothing was kept, or nothing of use.
      }
    }
    if (isLookKnown || this.#isAsked) this.isPending = false;
    else if (this.#cancel === undefined) this.#askSoon();
  }

  /** Asks the service now, unless that was done. */
  async ask(): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const address = this.#address;
    try {
      const response = await fetch(address, { credentials: 'omit', signal: AbortSignal.timeout(patience) });
      const { data } = (await response.json()) as { data: AssistantSettings };
      if (response.ok && address === this.#address) {
        this.settings = { ...data };
        this.#storage?.setItem(this.#key, JSON.stringify([data, Date.now()]));
      }
    } catch {
      // No endpoint, no network, no storage: the next visit asks again.
    }
    if (address !== this.#address) return;
    this.#cancel?.();
    this.isPending = false;
    this.#onChange();
  }

  /** Forgets the assistant. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#address = '';
    this.isPending = false;
  }

  #askSoon(): void {
    const cancelIdle = whenIdle(() => {
      void this.ask();
    });
    const timer = setTimeout(() => {
      this.isPending = false;
      this.#onChange();
    }, lookPatience);
    this.#cancel = () => {
      cancelIdle();
      clearTimeout(timer);
    };
  }

  get #key(): string {
    return `voice-assistant-chat:${this.#address}`;
  }
}
