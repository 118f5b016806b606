/** A history entry without the optional fields. */
export interface PlainLine {
  readonly role: 'assistant' | 'user' | 'system';
  readonly content: string;
}

/** A conversation of the plain service. */
export interface PlainConversation {
  readonly uuid: string;
  readonly history: PlainLine[];
  /** The time when the next message is accepted, in milliseconds since 1970; unset before a refusal. */
  retryAt?: number;
  /** The pending messages of a person, with their times; unset unless a person has taken over. */
  personAnswers?: { readonly at: number; readonly content: string }[];
}

const greeting = 'Hello! I stand in for another service. Send me something and see what happens.';

/**
 * Conversations of the faulty services, in memory. If there are too many, the oldest is deleted, and a full
 * conversation accepts no more entries, so that memory is bounded.
 */
export class PlainConversations {
  readonly #conversations = new Map<string, PlainConversation>();

  readonly #bounds: { readonly conversations: number; readonly lines: number };

  constructor(bounds = { conversations: 1000, lines: 200 }) {
    this.#bounds = bounds;
  }

  /** Opens a conversation whose history is one greeting. */
  open(): PlainConversation {
    const conversation: PlainConversation = {
      uuid: crypto.randomUUID(),
      history: [{ role: 'assistant', content: greeting }],
    };
    const [oldest] = this.#conversations.keys();
    if (oldest !== undefined && this.#conversations.size >= this.#bounds.conversations)
      this.#conversations.delete(oldest);
    this.#conversations.set(conversation.uuid, conversation);
    return conversation;
  }

  find(uuid: string): PlainConversation | undefined {
    return this.#conversations.get(uuid.toLowerCase());
  }

  /** Stores a message and its answer. */
  add(conversation: PlainConversation, message: string, answer: string): void {
    this.write(conversation, { role: 'user', content: message }, { role: 'assistant', content: answer });
  }

  /** Stores entries, all of them or none. */
  write(conversation: PlainConversation, ...lines: readonly PlainLine[]): void {
    if (conversation.history.length + lines.length > this.#bounds.lines) return;
    conversation.history.push(...lines);
  }
}
