import type { ChatError } from '../../../client/chat-client.ts';
import type { ConversationClient } from '../../../client/chat-client.ts';
import type { ConversationListener } from '../conversation-world.ts';
import { foundIn, isSettled } from '../sending/look-up.ts';
import type { Outbox, OutboxConversation } from '../sending/outbox.ts';
import { readSession } from './session.ts';
import { sleep } from '../sending/sleep.ts';
import { withHistory } from './with-history.ts';

/*
 * Hears of what a person, or a service that took its time, writes without having been asked just now. Loaded when
 * that is first waited for.
 */

/** Pauses between two questions, milliseconds: they grow while there is no news. */
const pauses = { shortest: 2000, longest: 30_000, growth: 1.6 };

export interface NewsReader {
  readonly client: ConversationClient;
  readonly conversation: OutboxConversation;
  readonly outbox: Outbox;
  readonly listener: ConversationListener;
}

/**
 * Asks for news until the signal says that none is wanted.
 *
 * @param isDue whether to begin with a question, as when nobody has looked for a while
 */
export async function followNews(reader: NewsReader, isDue: boolean, signal: AbortSignal): Promise<void> {
  let pause = isDue ? 0 : pauses.shortest;
  while (!signal.aborted) {
    await sleep(pause, signal);
    const hasNews = await ask(reader, signal);
    pause = hasNews ? pauses.shortest : Math.min(Math.max(pause, 1250) * pauses.growth, pauses.longest);
  }
}

async function ask(
  { client, conversation, outbox, listener }: NewsReader,
  signal: AbortSignal,
): Promise<boolean> {
  const { messages, conversationId } = conversation.snapshot();
  let session;
  try {
    session = await readSession(client, conversationId as string, signal);
  } catch (error) {
    const { code, message } = error as ChatError;
    if (code === 'conversation-not-found') conversation.fail({ code, message });
    return false;
  }
  // What happened meanwhile, the answer may not know of.
  if (signal.aborted || conversation.snapshot().messages !== messages) return false;
  for (const { key, text, attempt } of outbox.late) {
    const found = foundIn(session, text, attempt);
    if (found === undefined) {
      const problem = { code: 'engine-failed', message: 'The service could not answer.' } as const;
      outbox.attempts.delete(key);
      conversation.apply({ type: 'send-failed', key, problem, fateUnknown: false });
      listener.onProblem(problem);
    } else if (isSettled(found)) {
      outbox.attempts.delete(key);
      listener.onSent(text);
    }
  }
  conversation.apply({
    type: 'history',
    session,
    messages: withHistory(conversation.snapshot().messages, session.history),
  });
  const known = new Set(messages.map(({ key }) => key));
  const news = conversation.snapshot().messages.filter(({ key, role }) => !known.has(key) && role !== 'user');
  for (const { role, text } of news) if (role === 'assistant') listener.onAnswer(text, undefined);
  return news.length > 0;
}
