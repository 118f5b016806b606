import type { ChatError } from '../../client/chat-client.ts';
import { type ChatClient } from '../../client/chat-client.ts';
import type { KeptStorage } from './wake-entry.ts';

/** Of the conversations that a service was to forget and did not hear of, the latest are kept. */
const limit = 50;

/** Asks the service to forget conversations. What it does not hear of is kept as a list of IDs for the next visit. */
export class Deletions {
  readonly #client: ChatClient;
  readonly #storage: KeptStorage;
  readonly #key: string;

  /** @param baseUrl of the client's service */
  constructor(client: ChatClient, storage: KeptStorage, baseUrl: string) {
    this.#client = client;
    this.#storage = storage;
    this.#key = `voice-assistant-chat:forget:${baseUrl}`;
  }

  /** Also where the page goes away with that. */
  ask(conversationId: string): void {
    this.#write([...this.#ids(), conversationId].slice(-limit));
    this.#delete(conversationId);
  }

  /** Asks for what earlier visits asked in vain. */
  askAgain(): void {
    this.#ids().forEach((id) => {
      this.#delete(id);
    });
  }

  #delete(id: string): void {
    const drop = (): void => {
      this.#write(this.#ids().filter((other) => other !== id));
    };
    this.#client.deleteConversation(id, { keepalive: true }).then(drop, (error: unknown) => {
      // A service that cannot do it says so, and is not asked again.
      const { fateUnknown, code } = error as ChatError;
      if (!fateUnknown && code !== 'too-many-requests') drop();
    });
  }

  #ids(): string[] {
    try {
      const ids: unknown = JSON.parse(this.#storage.getItem(this.#key) ?? '');
      if (Array.isArray(ids)) return ids.map(String);
    } catch {
      // Blocked, or none.
    }
    return [];
  }

  #write(ids: readonly string[]): void {
    try {
      if (ids.length > 0) this.#storage.setItem(this.#key, JSON.stringify(ids));
      else this.#storage.removeItem(this.#key);
    } catch {
      // Blocked or full: then it is asked for once.
    }
  }
}
