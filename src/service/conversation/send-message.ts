import { eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../db/database.ts';
import { assistants, conversations, messages } from '../db/schema.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { acceptCustomerMessage, acceptMessage } from './accept-message.ts';
import type { Acceptance, VisitorMessage } from './accept-message.ts';
import type { Customer } from './customer-conversation.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { endsConversation } from './apply-built-in-tools.ts';
import { isClosed } from './is-closed.ts';
import { replySettledKey } from './replies.ts';
import type { Replies } from './replies.ts';
import { Reply } from './reply.ts';
import type { SettledAnswer } from './store-answer.ts';
import { pollUntil } from './change-notifier.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { withTimeout } from '../lib/with-timeout.ts';

/** The parts of the service that send messages. */
export interface SendingDependencies {
  database: Database;
  jobs: Jobs;
  replies: Replies;
  notifier: ChangeNotifier;
}

/**
 * Sends a visitor's message (interface: `POST /conversations/{uuid}/messages`). Resolves once the message is stored and
 * paid; the reply continues even if the client disconnects.
 *
 * @throws ConversationError if the message is refused.
 */
export async function sendMessage(
  dependencies: SendingDependencies,
  conversationUuid: string,
  message: VisitorMessage,
  keyed?: KeyedRequest,
): Promise<Reply> {
  const { replies } = dependencies;
  return replyTo(dependencies, await acceptMessage(dependencies, conversationUuid, message, replies, keyed));
}

/**
 * Like {@link sendMessage}, for a customer of another system (supplement to the interface: `POST
 * /user/ai/generate-reply`).
 *
 * @throws ConversationError if the message is refused.
 */
export async function sendCustomerMessage(
  dependencies: SendingDependencies,
  customer: Customer,
  message: VisitorMessage,
  keyed?: KeyedRequest,
): Promise<{ conversationUuid: string; reply: Reply }> {
  const accepted = await acceptCustomerMessage(dependencies, customer, message, dependencies.replies, keyed);
  return { conversationUuid: accepted.conversationUuid, reply: replyTo(dependencies, accepted) };
}

function replyTo({ database, replies, notifier }: SendingDependencies, accepted: Acceptance): Reply {
  if (accepted.kind === 'answer') return replies.start(accepted.message);
  const reply = new Reply();
  if (accepted.kind === 'store') {
    reply.complete({ text: '', functionCalls: [], aiEnabled: false });
    return reply;
  }
  const current = replies.find(accepted.messageId);
  if (current) return current;
  void awaitStoredAnswer({ database, replies, notifier }, accepted.messageId, reply);
  return reply;
}

/** Waits for the answer to an earlier request, which another process may still be writing, and emits it as one delta. */
async function awaitStoredAnswer(
  { database, replies, notifier }: Pick<SendingDependencies, 'database' | 'replies' | 'notifier'>,
  messageId: number,
  repeat: Reply,
): Promise<void> {
  try {
    const answer = await withTimeout(replies.longestMs, [], (signal) =>
      pollUntil(notifier, replySettledKey(messageId), () => readAnswer(database, messageId), signal),
    );
    for (const call of answer.functionCalls) repeat.emit({ type: 'function_call', ...call });
    if (answer.text !== '') repeat.emit({ type: 'delta', text: answer.text });
    repeat.complete(answer);
  } catch (error) {
    repeat.fail(
      error instanceof ConversationError
        ? error
        : ConversationError.replyFailed('the message is still being answered', {
            cause: error,
          }),
    );
  }
}

async function readAnswer({ db }: Database, messageId: number): Promise<SettledAnswer | undefined> {
  const reply = alias(messages, 'reply');
  const [found] = await db
    .select({
      state: messages.replyState,
      failure: messages.failure,
      text: reply.content,
      functionCalls: reply.functionCalls,
      aiEnabled: conversations.aiEnabled,
      isClosed,
    })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .leftJoin(reply, eq(reply.inReplyTo, messages.id))
    .where(eq(messages.id, messageId));
  if (!found) throw ConversationError.conversationNotFound();
  if (found.state === 'failed') throw ConversationError.replyFailed(found.failure ?? 'the reply failed');
  const { text, functionCalls, aiEnabled } = found;
  // Stored while a person had taken over: there is no answer.
  if (found.state === 'none') return { text: '', functionCalls: [], aiEnabled };
  if (text === null) return undefined;
  const calls = functionCalls ?? [];
  const ended = found.isClosed && endsConversation(calls);
  return { text, functionCalls: calls, aiEnabled, ...(ended && { ended }) };
}
