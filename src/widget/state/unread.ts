import type { KeptConversation } from './conversation-store.ts';
import type { Snapshot } from './snapshot.ts';

/** Counts what others wrote, and how much of that the visitor has seen. */
export class Unread {
  #heard = 0;
  #seen = 0;

  get kept(): Pick<KeptConversation, 'heard' | 'seen'> {
    return { heard: this.#heard, seen: this.#seen };
  }

  restore({ heard = 0, seen = 0 }: KeptConversation): void {
    this.#heard = heard;
    this.#seen = seen;
  }

  /**
   * Gives how many messages nobody has seen.
   *
   * @param isSeen whether what has come since the last count was seen as it came
   */
  count({ conversationId, messages }: Snapshot, isSeen: boolean): number {
    // Until it is opened, what an earlier visit counted holds.
    if (conversationId !== undefined) {
      const heard = messages.filter(({ status }) => status === 'done').length;
      if (isSeen) this.#seen += heard - this.#heard;
      this.#heard = heard;
    }
    this.#seen = Math.min(Math.max(0, this.#seen), this.#heard);
    return this.#heard - this.#seen;
  }

  markRead(): void {
    this.#seen = this.#heard;
  }

  /** Another conversation begins. */
  reset(): void {
    this.#heard = 0;
    this.#seen = 0;
  }
}
