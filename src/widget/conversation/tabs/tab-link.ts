import type { ConversationWorld } from '../conversation-world.ts';
import type { Outbox } from '../sending/outbox.ts';
import type { SharedConversation, Tabs } from './tabs.ts';

/** A conversation's end of the line to other tabs. What keeps in step with them is loaded when there may be one. */
export class TabLink {
  readonly #world: ConversationWorld;
  readonly #outbox: Outbox;
  readonly #conversation: SharedConversation;
  #stopWatching: (() => void) | undefined;
  #loading: Promise<Tabs | undefined> | undefined;
  #hasOthers = false;
  /** Set once there may be another tab. */
  tabs: Tabs | undefined;

  constructor(world: ConversationWorld, outbox: Outbox, conversation: SharedConversation) {
    this.#world = world;
    this.#outbox = outbox;
    this.#conversation = conversation;
  }

  /** Waits for signs of another tab. */
  open(): void {
    this.#stopWatching ??= this.#world.tabs?.watch(() => {
      void this.load().then((tabs) => tabs?.hear({ type: 'kept' }));
    });
    if (this.#hasOthers) void this.load();
  }

  close(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.tabs?.close();
    this.tabs = undefined;
    this.#loading = undefined;
  }

  /**
   * Settles who sends what an earlier visit left: other tabs answer for what they have not sent.
   *
   * @param isShared whether the conversation is of an earlier visit, so that other tabs may show it
   */
  async claim(isShared: boolean): Promise<void> {
    const { unclaimed } = this.#outbox;
    if (!isShared && unclaimed.size === 0) return;
    const tabs = await this.load();
    if (tabs) await tabs.claim();
    else unclaimed.clear();
  }

  /** Gives undefined where there are no other tabs, or it cannot be loaded: then every tab works by itself. */
  load(): Promise<Tabs | undefined> {
    return (this.#loading ??= this.#load().catch(() => (this.#loading = undefined)));
  }

  async #load(): Promise<Tabs | undefined> {
    const { tabs: source } = this.#world;
    const watching = this.#stopWatching;
    if (!source) return undefined;
    const [{ Tabs }, channel] = await Promise.all([import('./tabs.ts'), source.connect()]);
    if (!watching || watching !== this.#stopWatching) {
      channel.close();
      return undefined;
    }
    this.#hasOthers = true;
    return (this.tabs = new Tabs(this.#world, channel, this.#outbox, this.#conversation));
  }
}
