import { eq } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { assistants, conversations } from '../db/schema.ts';
import type { StoredFunctionCall } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { addLine } from './add-line.ts';
import { markEnded } from './end-conversation.ts';
import { hasEnded } from './has-ended.ts';
import { announcements } from './take-over.ts';

/** What calls of built-in tools have made of a conversation. */
export interface Followed {
  /** False while a person has taken over. */
  aiEnabled: boolean;
  /** True once it takes no more messages by the assistant's own decision. */
  ended?: boolean;
}

/** Does in a locked conversation what the assistant has asked for by its built-in tools. */
export async function followCalls(
  tx: Queries,
  jobs: Jobs,
  conversation: { id: number; turns: number; aiEnabled: boolean },
  calls: StoredFunctionCall[],
): Promise<Followed> {
  const { aiEnabled } = conversation;
  if (endsConversation(calls)) {
    await addLine(tx, conversation, 'system', announcements.ended);
    await markEnded(tx, jobs, conversation.id);
    const [{ ended } = { ended: false }] = await tx
      .select({ ended: hasEnded })
      .from(conversations)
      .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
      .where(eq(conversations.id, conversation.id));
    return { aiEnabled, ...(ended && { ended }) };
  }
  const transfer = calls.find(
    ({ name, client, result }) => name === 'call_transfer' && client !== true && isTransfer(result),
  );
  if (!transfer || !aiEnabled) return { aiEnabled };
  const number = (transfer.result as Transfer).transferred_to;
  await tx.update(conversations).set({ aiEnabled: false }).where(eq(conversations.id, conversation.id));
  const to = number === null ? '.' : `: ${number}.`;
  await addLine(tx, conversation, 'system', announcements.handedOver + to);
  return { aiEnabled: false };
}

/** Whether the assistant ended the conversation with an answer that holds these calls. */
export const endsConversation = (calls: StoredFunctionCall[]): boolean =>
  calls.some(({ name, client }) => name === 'end_call' && client !== true);

/** What the tool returns of a number that is one of its own. */
interface Transfer {
  transferred_to: string | null;
}

const isTransfer = (result: unknown): result is Transfer =>
  typeof result === 'object' && result !== null && 'transferred_to' in result;
