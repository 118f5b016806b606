import { randomUUID } from 'node:crypto';
import { ChatClient, ChatError } from '../../../src/client/chat-client.ts';
import type { AnsweredMessage } from '../../../src/client/chat-client.ts';

/** A message that was answered in the end. */
export interface Exchanged {
  said: string;
  answer: AnsweredMessage;
  /** Why it had to be sent again, if it had. */
  failures: string[];
}

/** Sendings of one request after which even the most patient visitor gives up. */
const patience = 50;

/**
 * A visitor who has the widget's client and wants an answer to everything: what failed is sent again with the key that
 * it had.
 */
export class PatientVisitor {
  readonly #client: ChatClient;
  readonly conversation: string;
  readonly exchanged: Exchanged[] = [];

  private constructor(client: ChatClient, conversation: string) {
    this.#client = client;
    this.conversation = conversation;
  }

  static async open(baseUrl: string, assistant: string): Promise<PatientVisitor> {
    const client = new ChatClient({ baseUrl });
    const { answer } = await insist((idempotencyKey) =>
      client.openConversation({ assistant_id: assistant }, { idempotencyKey }),
    );
    return new PatientVisitor(client, answer.conversation_id);
  }

  /** @param more.streaming asks for an event stream. @param more.copies sends the same that often at once. */
  async say(
    said: string,
    { streaming = false, copies = 1 }: { streaming?: boolean; copies?: number } = {},
  ): Promise<AnsweredMessage> {
    const send = (idempotencyKey: string) =>
      streaming
        ? this.#client.streamMessage(this.conversation, said, {}, { idempotencyKey })
        : this.#client.sendMessage(this.conversation, said, { idempotencyKey });
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: copies }, () => insist(send, key)));
    for (const { answer, failures } of answers) this.exchanged.push({ said, answer, failures });
    const [first] = answers;
    if (!first) throw new Error('Nothing was sent.');
    return first.answer;
  }
}

async function insist<Answer>(
  send: (key: string) => Promise<Answer>,
  key: string = randomUUID(),
): Promise<{ answer: Answer; failures: string[] }> {
  const failures: string[] = [];
  for (;;) {
    try {
      return { answer: await send(key), failures };
    } catch (error) {
      const isWorthIt =
        error instanceof ChatError && (error.outcomeUnknown || error.code === 'engine-failed');
      if (!isWorthIt || failures.push(error.code) === patience) throw error;
    }
  }
}
