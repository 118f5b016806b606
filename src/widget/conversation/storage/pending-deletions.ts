import type { ConversationClient } from '../../../client/chat-client.ts';
import type { Environment } from '../environment.ts';
import { VisitStorage, type BrowserStorage } from './visit-storage.ts';

/**
 * The IDs of conversations whose deletion the service has not confirmed, stored so that it is requested again: when the
 * browser is online again (this is the event's listener), or at the next visit.
 */
export class PendingDeletions {
  readonly client: ConversationClient;
  readonly #items = new VisitStorage(undefined);
  readonly #getStorage: () => BrowserStorage | undefined;
  readonly #key: string;
  readonly #loadMessaging: Environment['loadMessaging'];

  /**
   * @param getStorage returns the storage that `persist` names now; undefined if nothing may be stored
   * @param baseUrl of the client's service
   */
  constructor(
    client: ConversationClient,
    getStorage: () => BrowserStorage | undefined,
    baseUrl: string,
    loadMessaging: Environment['loadMessaging'],
  ) {
    this.client = client;
    this.#getStorage = getStorage;
    this.#key = `voice-assistant-chat:forget:${baseUrl}`;
    this.#loadMessaging = loadMessaging;
  }

  /** Separated by spaces. */
  get ids(): string {
    this.#items.moveTo(this.#getStorage());
    return this.#items.getItem(this.#key);
  }

  set ids(ids: string) {
    this.#items.moveTo(this.#getStorage());
    this.#items.setItem(this.#key, ids);
  }

  handleEvent(): void {
    this.requestDeletion();
  }

  /** Requests the deletion of all stored conversations, and of `id`. */
  requestDeletion(id = ''): void {
    const ids = `${this.ids} ${id}`.trim();
    if (!ids) return;
    this.ids = ids;
    this.#loadMessaging().then(
      ({ requestDeletions }) => requestDeletions(this, ids),
      // The module could not be loaded: the next visit requests the deletion.
      () => undefined,
    );
  }
}
