import type { ConversationClient } from '../../../client/chat-client.ts';
import { readItem, writeItem, type KeptStorage } from './kept-storage.ts';

/**
 * The conversations that the service is to forget, until it has: their IDs and nothing else, for the next visit to ask
 * again. What does the asking is loaded when it is needed.
 */
export class Forgotten {
  readonly client: ConversationClient;
  readonly #storage: KeptStorage;
  readonly #key: string;

  /** @param baseUrl of the client's service */
  constructor(client: ConversationClient, storage: KeptStorage, baseUrl: string) {
    this.client = client;
    this.#storage = storage;
    this.#key = `voice-assistant-chat:forget:${baseUrl}`;
  }

  /** Separated by spaces. */
  get ids(): string {
    return readItem(this.#storage, this.#key);
  }

  set ids(ids: string) {
    writeItem(this.#storage, this.#key, ids);
  }

  /** Asks the service to forget them all; now also this one. */
  ask(id = ''): void {
    const ids = `${this.ids} ${id}`.trim();
    if (!ids) return;
    this.ids = ids;
    import('./delete-forgotten.ts').then(
      ({ deleteForgotten }) => deleteForgotten(this, ids),
      // Then the next visit asks.
      () => undefined,
    );
  }
}
