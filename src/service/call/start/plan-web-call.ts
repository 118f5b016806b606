import { eq } from 'drizzle-orm';
import type { calls } from '../../db/calls-table.ts';
import type { Queries } from '../../db/database.ts';
import { conversations } from '../../db/schema.ts';
import type { ConversationPlan } from './plan-call.ts';
import { maxSecondsOf } from './max-seconds.ts';
import { readWrittenHistory } from '../speech/read-written-history.ts';
import type { WrittenMessage } from '../speech/read-written-history.ts';

/** The parts of a plan that only web calls have. */
export interface WebPlan {
  conversationId: number;
  /** Calls in a conversation of type `test` are free. */
  type: 'widget' | 'test';
  /** Whether a preview token proves that the caller is the assistant's owner. */
  isPreview: boolean;
  /** The conversation's messages before the call, oldest first. */
  history: WrittenMessage[];
  /** Whether the greeting is already stored as a message. */
  isGreetingStored: boolean;
}

/**
 * Adds the conversation to the plan of a call. The assistant greets only if the visitor has not written yet: otherwise
 * the visitor continues the conversation and speaks first.
 */
export async function planWebCall(
  queries: Queries,
  call: typeof calls.$inferSelect,
  { settings, callContext, ...plan }: ConversationPlan,
): Promise<ConversationPlan | undefined> {
  const [conversation] = await queries
    .select({ id: conversations.id, type: conversations.type, isPreview: conversations.isPreview })
    .from(conversations)
    .where(eq(conversations.id, call.conversationId ?? 0));
  if (!conversation) return undefined;
  const history = await readWrittenHistory(queries, conversation.id, call.id);
  const isNew = !history.some(({ role }) => role === 'user');
  const stored = isNew && !settings.waitForCustomer ? history[0]?.content : undefined;
  const greeting = history.length === 0 ? settings.initialMessage : (stored ?? '');
  const { assistant } = callContext;
  return {
    ...plan,
    // Web calls have no transfers and no keypad.
    callContext: { ...callContext, assistant: { ...assistant, tools: assistant.tools.filter(isForCalls) } },
    settings: {
      ...settings,
      initialMessage: greeting,
      isGreetingRead: stored !== undefined,
      waitForCustomer: settings.waitForCustomer || greeting === '',
      maxDuration: maxSecondsOf(conversation.type, settings.maxDuration),
    },
    web: {
      conversationId: conversation.id,
      type: conversation.type,
      isPreview: conversation.isPreview,
      // A greeting that is spoken is part of the transcript.
      history: stored === undefined ? history : history.slice(1),
      isGreetingStored: stored !== undefined,
    },
  };
}

const isForCalls = ({ type }: ConversationPlan['callContext']['assistant']['tools'][number]) =>
  type === 'end_call';
