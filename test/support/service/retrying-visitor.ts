import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ChatClient, ChatError } from '../../../src/client/chat-client.ts';
import type { AnsweredMessage } from '../../../src/client/chat-client.ts';

/** A message and its answer. */
export interface Exchange {
  text: string;
  answer: AnsweredMessage;
  /** The error code of each failed attempt. */
  failures: string[];
}

interface SayOptions {
  streaming?: boolean;
  copies?: number;
  leaves?: boolean;
}

/** How often a request is retried. */
export interface Retries {
  maxAttempts: number;
  /** Milliseconds between two attempts. */
  pause: number;
}

const defaultRetries: Retries = { maxAttempts: 50, pause: 0 };

/** A visitor with the widget's client who retries failed requests with the same idempotency key until they succeed. */
export class RetryingVisitor {
  readonly #client: ChatClient;
  readonly conversation: string;
  readonly exchanges: Exchange[] = [];
  readonly #retries: Retries;

  private constructor(client: ChatClient, conversation: string, retries: Retries) {
    this.#client = client;
    this.conversation = conversation;
    this.#retries = retries;
  }

  static async open(
    baseUrl: string,
    assistant: string,
    retries: Retries = defaultRetries,
  ): Promise<RetryingVisitor> {
    const client = new ChatClient({ baseUrl });
    const { answer } = await sendUntilAnswered(
      (idempotencyKey) => client.openConversation({ assistant_id: assistant }, { idempotencyKey }),
      retries,
    );
    return new RetryingVisitor(client, answer.conversation_id, retries);
  }

  /**
   * Sends a message `copies` times at once; `streaming` requests event streams.
   *
   * @param options.leaves whether the visitor leaves in the middle of the answer, and sends the message again.
   */
  async say(
    text: string,
    { streaming = false, copies = 1, leaves = false }: SayOptions = {},
  ): Promise<AnsweredMessage> {
    const send = (idempotencyKey: string) =>
      streaming
        ? this.#client.streamMessage(this.conversation, text, {}, { idempotencyKey })
        : this.#client.sendMessage(this.conversation, text, { idempotencyKey });
    const key = randomUUID();
    if (leaves) await this.#leaveDuring(text, key);
    const answers = await Promise.all(
      Array.from({ length: copies }, () => sendUntilAnswered(send, this.#retries, key)),
    );
    for (const { answer, failures } of answers) this.exchanges.push({ text, answer, failures });
    const [first] = answers;
    if (!first) throw new Error('Nothing was sent.');
    return first.answer;
  }

  async #leaveDuring(text: string, idempotencyKey: string): Promise<void> {
    const leave = new AbortController();
    const onDelta = () => {
      leave.abort();
    };
    await this.#client
      .streamMessage(this.conversation, text, { onDelta }, { idempotencyKey, signal: leave.signal })
      .catch(() => undefined);
  }
}

async function sendUntilAnswered<Answer>(
  send: (key: string) => Promise<Answer>,
  { maxAttempts, pause }: Retries,
  key: string = randomUUID(),
): Promise<{ answer: Answer; failures: string[] }> {
  const failures: string[] = [];
  for (;;) {
    try {
      return { answer: await send(key), failures };
    } catch (error) {
      const canRetry = error instanceof ChatError && (error.outcomeUnknown || error.code === 'engine-failed');
      if (!canRetry || failures.push(error.code) === maxAttempts) throw error;
      if (pause > 0) await delay(pause);
    }
  }
}
