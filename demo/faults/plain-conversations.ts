/** A line as plain services write it: without the optional fields. */
export interface PlainLine {
  readonly role: 'assistant' | 'user' | 'system';
  readonly content: string;
}

/** A conversation of the plain service. */
export interface PlainConversation {
  readonly uuid: string;
  readonly history: PlainLine[];
  /** When the next message may come, in milliseconds since the epoch; unset while nothing was refused. */
  retryAt?: number;
  /** What a person has still to say, and from when on; unset while none has taken over. */
  personAnswers?: { readonly at: number; readonly content: string }[];
}

const greeting = 'Hello! I stand in for another service. Send me something and see what happens.';

/**
 * Conversations in memory, for the services that the faults stand for. The oldest conversation goes when there are
 * too many, and a conversation takes no more lines when it is full, so that nobody fills the memory.
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

  /** Writes down a message and its answer. */
  add(conversation: PlainConversation, message: string, answer: string): void {
    this.write(conversation, { role: 'user', content: message }, { role: 'assistant', content: answer });
  }

  /** Writes down lines, all of them or none. */
  write(conversation: PlainConversation, ...lines: readonly PlainLine[]): void {
    if (conversation.history.length + lines.length > this.#bounds.lines) return;
    conversation.history.push(...lines);
  }
}
