import type { Conversation } from '../conversation.ts';
import type { Tabs } from './tabs.ts';

/** Connects a conversation with other tabs as soon as there may be any. Until then nothing is loaded. */
export class TabLink {
  readonly #conversation: Conversation;
  #stopWatching: (() => void) | undefined;
  #loading: Promise<Tabs | undefined> | undefined;
  #hasOthers = false;
  /** Set once there may be another tab. */
  tabs: Tabs | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** Watches for other tabs. */
  open(): void {
    this.#stopWatching ??= this.#conversation.environment.tabs?.watch((isSamePage, value) => {
      void this.#load().then((tabs) => tabs?.receive({ type: 'stored' }, isSamePage, value));
    });
    if (this.#hasOthers) void this.#load();
  }

  close(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.tabs?.close();
    this.tabs = undefined;
    this.#loading = undefined;
  }

  /**
   * Decides which tab sends the pending messages of an earlier visit: tabs that are still open send their own.
   *
   * @param isShared whether an earlier visit opened the conversation, so that other tabs may show it
   */
  async claim(isShared: boolean): Promise<void> {
    const { session } = this.#conversation;
    if (!isShared && !session.hasUnclaimed) return;
    const tabs = await this.#load();
    if (tabs) await tabs.claim();
    else session.claimAll();
  }

  /** Returns undefined if there are no other tabs or the module cannot be loaded: then every tab works on its own. */
  #load(): Promise<Tabs | undefined> {
    return (this.#loading ??= this.#connect().catch(() => (this.#loading = undefined)));
  }

  async #connect(): Promise<Tabs | undefined> {
    const { tabs: source, loadMessaging } = this.#conversation.environment;
    const watching = this.#stopWatching;
    if (!source) return undefined;
    const messaging = await loadMessaging();
    if (!watching || watching !== this.#stopWatching) return undefined;
    this.#hasOthers = true;
    return (this.tabs = new messaging.Tabs(this.#conversation, source.connect(messaging)));
  }
}
