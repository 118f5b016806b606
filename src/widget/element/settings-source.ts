import type { LookSettings } from './look.ts';

/** What a page learns of an assistant before anyone chats. */
export interface AssistantSettings {
  readonly name?: unknown;
  readonly language?: unknown;
  readonly widget_settings?: LookSettings | null;
}

/**
 * Learns an assistant's settings: from the last visit, or from the service. The look is never worth an error message,
 * so services without the endpoint and nonsense give empty settings.
 */
export class SettingsSource {
  settings: AssistantSettings = {};
  /** Whether there is nothing to go by yet, not even a copy. */
  isUnknown = false;
  /** Whether there is something to ask the service. */
  isDue = false;

  readonly #onChange: () => void;
  #address = '';
  #storage: Storage | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Follows one assistant; calling it again with the same one changes nothing.
   *
   * @param address the endpoint's URL (interface: `GET /assistants/{uuid}/widget`), empty for none
   */
  follow(address: string, storage: Storage | undefined): void {
    if (storage !== this.#storage) {
      this.#storage?.removeItem(this.#key);
      this.#storage = storage;
    }
    if (address === this.#address) return;
    this.#address = address;
    this.settings = {};
    this.isUnknown = this.isDue = !!address;
    try {
      // It shows at once, and is asked for all the same: how long it stays fresh, the browser's cache knows.
      this.settings = { ...(JSON.parse(storage?.getItem(this.#key) ?? '') as AssistantSettings) };
      this.isUnknown = false;
    } catch {
      // Nothing was kept, or nothing of use.
    }
  }

  /** Asks the service now, unless that was done. */
  async ask(): Promise<void> {
    if (!this.isDue) return;
    this.isDue = false;
    const address = this.#address;
    try {
      // The time also bounds what an endless answer can fill memory with.
      const response = await fetch(address, { credentials: 'omit', signal: AbortSignal.timeout(5000) });
      const { data } = (await response.json()) as { data: AssistantSettings };
      if (response.ok && address === this.#address) {
        this.settings = { ...data };
        this.#storage?.setItem(this.#key, JSON.stringify(data));
      }
    } catch {
      // No endpoint, no network, no storage: the next visit asks again.
    }
    if (address !== this.#address) return;
    this.isUnknown = false;
    this.#onChange();
  }

  get #key(): string {
    return `voice-assistant-chat:${this.#address}`;
  }
}
