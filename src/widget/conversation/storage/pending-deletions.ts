import type { ConversationClient } from '../../../client/chat-client.ts';
import type { Environment } from '../environment.ts';
import type { VisitStorage } from './visit-storage.ts';

/**
 * The IDs of conversations whose deletion the service has not confirmed, stored so that it is requested again: when the
 * browser is online again (this is the event's listener), or at the next visit.
 */
export class PendingDeletions {
  readonly client: ConversationClient;
  readonly #storage: VisitStorage;
  readonly #key: string;
  readonly #loadTalk: Environment['loadTalk'];

  /** @param baseUrl of the client's service */
  constructor(
    client: ConversationClient,
    storage: VisitStorage,
    baseUrl: string,
    loadTalk: Environment['loadTalk'],
  ) {
    this.client = client;
    this.#storage = storage;
    this.#key = `voice-assistant-chat:forget:${baseUrl}`;
    this.#loadTalk = loadTalk;
  }

  /** Separated by spaces. */
  get ids(): string {
    return this.#storage.getItem(this.#key);
  }

  set ids(ids: string) {
    this.#storage.setItem(this.#key, ids);
  }

  handleEvent(): void {
    this.requestDeletion();
  }

  /** Requests the deletion of all stored conversations, and of `id`. */
  requestDeletion(id = ''): void {
    const ids = `${this.ids} ${id}`.trim();
    if (!ids) return;
    this.ids = ids;
    this.#loadTalk().then(
      ({ requestDeletions }) => requestDeletions(this, ids),
      // The module could not be loaded: the next visit requests the deletion.
      () => undefined,
    );
  }
}
