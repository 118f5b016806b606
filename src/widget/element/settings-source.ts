import type { AppearanceSettings } from './appearance.ts';

/** An assistant's public settings. */
export interface AssistantSettings {
  readonly name?: unknown;
  readonly language?: unknown;
  readonly widget_settings?: AppearanceSettings | null;
  /** Whether visitors may call the assistant. */
  readonly web_calls?: unknown;
}

/** Settings that the short snippet contains, by the assistant's UUID. */
declare global {
  var voiceAssistantChatSettings: Record<string, AssistantSettings> | undefined;
}

/**
 * An assistant's public settings: from the short snippet, the last visit, or the service. Failures are not reported:
 * without a readable response, the settings are empty.
 */
export class SettingsSource {
  settings: AssistantSettings = {};
  /** Whether the settings are still loading and there is no stored copy. */
  isUnknown = false;

  readonly #onChange: () => void;
  readonly #getStorage: () => Storage | undefined;
  #address = '';
  #isDue = false;
  /** The storage of the copy; undefined until it is first accessed. */
  #storage: Storage | undefined;

  /**
   * @param getStorage called only if the snippet contains no settings, because a page's first access to storage is slow
   */
  constructor(onChange: () => void, getStorage: () => Storage | undefined) {
    this.#onChange = onChange;
    this.#getStorage = getStorage;
  }

  /**
   * Switches to an assistant; a second call with the same one changes nothing.
   *
   * @param address the endpoint's URL (interface: `GET /assistants/{uuid}/widget`), empty for none
   */
  follow(address: string, assistantId: string | undefined): void {
    if (this.#storage && this.#storage !== this.#getStorage()) this.#storage.removeItem(this.#key);
    if (address === this.#address) return;
    this.#address = address;
    const given = globalThis.voiceAssistantChatSettings?.[assistantId ?? ''];
    this.settings = { ...given };
    this.#isDue = this.isUnknown = !given && !!address;
    if (!this.isUnknown) return;
    try {
      // The copy is used immediately. The settings are requested anyway; the HTTP cache decides whether they are fresh.
      const json = (this.#storage = this.#getStorage())?.getItem(this.#key);
      if (json) {
        this.settings = { ...(JSON.parse(json) as AssistantSettings) };
        this.isUnknown = false;
      }
    } catch {
      // It is not JSON.
    }
  }

  /** Requests the settings; later calls for the same assistant do nothing. */
  async ask(): Promise<void> {
    if (!this.#isDue) return;
    this.#isDue = false;
    const address = this.#address;
    try {
      const response = await fetch(address, {
        credentials: 'omit',
        priority: 'low',
        // Also limits how much of an endless response is read into memory.
        signal: AbortSignal.timeout(5000),
      });
      const { data } = (await response.json()) as { data: AssistantSettings };
      if (response.ok && address === this.#address) {
        this.settings = { ...data };
        (this.#storage = this.#getStorage())?.setItem(this.#key, JSON.stringify(data));
      }
    } catch {
      // No endpoint, no network or no storage: the next visit requests them again.
    }
    if (address !== this.#address) return;
    this.isUnknown = false;
    this.#onChange();
  }

  get #key(): string {
    return `voice-assistant-chat:${this.#address}`;
  }
}
