import { eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../db/database.ts';
import { assistants, conversations, messages } from '../db/schema.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { acceptMessage } from './accept-message.ts';
import type { VisitorMessage } from './accept-message.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { endsConversation } from './follow-calls.ts';
import { settledSignal } from './replies.ts';
import type { Replies } from './replies.ts';
import { Reply } from './reply.ts';
import type { SettledAnswer } from './settle-reply.ts';
import { pollUntil } from './signals.ts';
import type { Signals } from './signals.ts';
import { within } from '../lib/within.ts';

/** Longest wait for an answer that another process is writing, in milliseconds. */
const repeatWait = 330_000;

/** What sending needs of the service. */
export interface Sending {
  database: Database;
  replies: Replies;
  signals: Signals;
}

/**
 * Sends a visitor's message (interface: `POST /conversations/{uuid}/messages`). Resolves once the message is stored
 * and paid; the reply goes on by itself, also when nobody waits for it any more.
 *
 * @throws ConversationError if the message is refused.
 */
export async function sendMessage(
  { database, replies, signals }: Sending,
  message: VisitorMessage,
  keyed?: KeyedRequest,
): Promise<Reply> {
  const accepted = await acceptMessage(database, message, replies.lease, keyed);
  if (accepted.to === 'answer') return replies.start(accepted.message);
  const reply = new Reply();
  if (accepted.to === 'keep') {
    reply.complete({ text: '', functionCalls: [], aiEnabled: false });
    return reply;
  }
  const underWay = replies.find(accepted.messageId);
  if (underWay) return underWay;
  void followElsewhere({ database, signals }, accepted.messageId, reply);
  return reply;
}

/** Waits for the answer that an earlier request got, or is getting from another process, and tells it as one piece. */
async function followElsewhere(
  { database, signals }: Pick<Sending, 'database' | 'signals'>,
  messageId: number,
  repeat: Reply,
): Promise<void> {
  try {
    const answer = await within(repeatWait, [], (signal) =>
      pollUntil(signals, settledSignal(messageId), () => readAnswer(database, messageId), signal),
    );
    for (const call of answer.functionCalls) repeat.emit({ type: 'function_call', ...call });
    if (answer.text !== '') repeat.emit({ type: 'delta', text: answer.text });
    repeat.complete(answer);
  } catch (error) {
    repeat.fail(
      error instanceof ConversationError
        ? error
        : ConversationError.replyFailed('the message is still being answered; please try again later', {
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
      goesOn: assistants.conversationEndedRetrigger,
    })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .leftJoin(reply, eq(reply.inReplyTo, messages.id))
    .where(eq(messages.id, messageId));
  if (!found) throw ConversationError.conversationNotFound();
  if (found.state === 'failed') throw ConversationError.replyFailed(found.failure ?? 'the reply failed');
  const { text, functionCalls, aiEnabled, goesOn } = found;
  // Stored for a person: nothing will come.
  if (found.state === 'done') return { text: '', functionCalls: [], aiEnabled };
  if (text === null) return undefined;
  const calls = functionCalls ?? [];
  const ended = !goesOn && endsConversation(calls);
  return { text, functionCalls: calls, aiEnabled, ...(ended && { ended }) };
}
