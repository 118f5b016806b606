import type { AppearanceSettings } from './appearance.ts';

/** An assistant's public settings. */
export interface AssistantSettings {
  readonly name?: unknown;
  readonly language?: unknown;
  readonly widget_settings?: AppearanceSettings | null;
}

/** Settings that came with the short snippet, by the assistant's UUID. */
declare global {
  var voiceAssistantChatSettings: Record<string, AssistantSettings> | undefined;
}

/**
 * An assistant's public settings: from the short snippet, the last visit, or the service. Failing to load them is never
 * shown as an error: services without the endpoint and unreadable answers count as empty settings.
 */
export class SettingsSource {
  settings: AssistantSettings = {};
  /** Whether nothing is known yet, not even a stored copy. */
  isUnknown = false;

  readonly #onChange: () => void;
  #address = '';
  #isDue = false;
  /** Where the copy is stored; undefined until it was looked for. */
  #storage: Storage | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Switches to an assistant; a second call with the same one changes nothing.
   *
   * @param address the endpoint's URL (interface: `GET /assistants/{uuid}/widget`), empty for none
   * @param storage read only where the snippet brought no settings: a page's first access to its storage is slow
   */
  follow(address: string, assistantId: string | undefined, storage: () => Storage | undefined): void {
    if (this.#storage && this.#storage !== storage()) this.#storage.removeItem(this.#key);
    if (address === this.#address) return;
    this.#address = address;
    const given = globalThis.voiceAssistantChatSettings?.[assistantId ?? ''];
    this.settings = { ...given };
    this.#isDue = this.isUnknown = !given && !!address;
    if (!this.isUnknown) return;
    try {
      // Shown at once and requested all the same; the browser's cache knows how long it stays fresh.
      this.settings = {
        ...(JSON.parse((this.#storage = storage())?.getItem(this.#key) ?? '') as AssistantSettings),
      };
      this.isUnknown = false;
    } catch {
      // Nothing usable was stored.
    }
  }

  /** Requests the settings, once. */
  async ask(storage: () => Storage | undefined): Promise<void> {
    if (!this.#isDue) return;
    this.#isDue = false;
    const address = this.#address;
    try {
      // The time limit also bounds how much an endless answer can write into memory.
      const signal = AbortSignal.timeout(5000);
      const response = await fetch(address, { credentials: 'omit', priority: 'low', signal });
      const { data } = (await response.json()) as { data: AssistantSettings };
      if (response.ok && address === this.#address) {
        this.settings = { ...data };
        (this.#storage = storage())?.setItem(this.#key, JSON.stringify(data));
      }
    } catch {
      // No endpoint, no network or no storage: the next visit asks again.
    }
    if (address !== this.#address) return;
    this.isUnknown = false;
    this.#onChange();
  }

  get #key(): string {
    return `voice-assistant-chat:${this.#address}`;
  }
}
