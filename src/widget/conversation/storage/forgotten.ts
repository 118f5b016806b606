import type { ConversationClient } from '../../../client/chat-client.ts';
import type { Environment } from '../environment.ts';
import { readItem, writeItem, type KeptStorage } from './kept-storage.ts';

/**
 * The IDs of the conversations that the service has not deleted yet, so that the next visit can request it again.
 */
export class Forgotten {
  readonly client: ConversationClient;
  readonly #storage: KeptStorage;
  readonly #key: string;
  readonly #loadSending: Environment['loadSending'];

  /** @param baseUrl of the client's service */
  constructor(
    client: ConversationClient,
    storage: KeptStorage,
    baseUrl: string,
    loadSending: Environment['loadSending'],
  ) {
    this.client = client;
    this.#storage = storage;
    this.#key = `voice-assistant-chat:forget:${baseUrl}`;
    this.#loadSending = loadSending;
  }

  /** Separated by spaces. */
  get ids(): string {
    return readItem(this.#storage, this.#key);
  }

  set ids(ids: string) {
    writeItem(this.#storage, this.#key, ids);
  }

  /** Requests the deletion of all of them, and of this one. */
  requestDeletion(id = ''): void {
    const ids = `${this.ids} ${id}`.trim();
    if (!ids) return;
    this.ids = ids;
    this.#loadSending().then(
      ({ deleteForgotten }) => deleteForgotten(this, ids),
      // Then the next visit requests it.
      () => undefined,
    );
  }
}
