import { eq } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { assistants, conversations } from '../db/schema.ts';
import type { StoredFunctionCall } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { addEntry } from './add-entry.ts';
import { markEnded } from './end-conversation.ts';
import { eventEntry } from './event-entry.ts';
import { isClosed } from './is-closed.ts';

/** The state of a conversation after its built-in tools were applied. */
export interface BuiltInToolEffects {
  /** False while a person has taken over. */
  aiEnabled: boolean;
  /** True if the assistant has ended it and it accepts no more messages. */
  ended?: boolean;
}

/** Applies the calls of built-in tools in the answer to a visitor's message. The conversation must be locked. */
export async function applyBuiltInTools(
  tx: Queries,
  jobs: Jobs,
  conversation: { id: number; turns: number; aiEnabled: boolean; isMarkedEnded: boolean },
  { messageId, calls }: { messageId: number; calls: StoredFunctionCall[] },
): Promise<BuiltInToolEffects> {
  const { aiEnabled } = conversation;
  // If a person has taken over meanwhile, the assistant neither hands over nor ends the conversation.
  if (!aiEnabled) return { aiEnabled };
  const transfer = calls.find(
    ({ name, client, result }) => name === 'call_transfer' && client !== true && isTransfer(result),
  );
  // Before the end, as in calls: models that hand over and say goodbye call both tools.
  if (transfer) {
    const number = (transfer.result as Transfer).transferred_to;
    await tx.update(conversations).set({ aiEnabled: false }).where(eq(conversations.id, conversation.id));
    await addEntry(tx, conversation, eventEntry('handed_over', number));
    await jobs.send('handoff-notice', { messageId, reason: 'request' }, { tx });
    return { aiEnabled: false };
  }
  // The answer to an earlier message may have ended it already.
  if (endsConversation(calls) && !conversation.isMarkedEnded) {
    await addEntry(tx, conversation, eventEntry('ended'));
    await markEnded(tx, jobs, conversation.id);
  }
  return readEffects(tx, conversation, calls);
}

/** The state of a conversation to which the calls of an answer were applied. */
export async function readEffects(
  tx: Queries,
  { id, aiEnabled }: { id: number; aiEnabled: boolean },
  calls: StoredFunctionCall[],
): Promise<BuiltInToolEffects> {
  if (!endsConversation(calls) || !aiEnabled) return { aiEnabled };
  const [{ ended } = { ended: false }] = await tx
    .select({ ended: isClosed })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(eq(conversations.id, id));
  return { aiEnabled, ...(ended && { ended }) };
}

/** Whether the calls of an answer end the conversation. */
export const endsConversation = (calls: StoredFunctionCall[]): boolean =>
  calls.some(({ name, client }) => name === 'end_call' && client !== true);

/** Result of `call_transfer` if it succeeded. */
interface Transfer {
  transferred_to: string | null;
}

const isTransfer = (result: unknown): result is Transfer =>
  typeof result === 'object' && result !== null && 'transferred_to' in result;
