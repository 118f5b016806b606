import { eq } from 'drizzle-orm';
import type { HandoffWebhook, handoffReasons } from '../../contract/webhook.ts';
import type { Database } from '../db/database.ts';
import { assistants, conversations, messages } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { customerName } from './conversation-payload.ts';
import { createDelivery } from './create-delivery.ts';
import { zonedTimestamp } from './zoned-timestamp.ts';

/**
 * Notifies an assistant's owner by webhook that a visitor needs a person. Conversations of type `test`, which anybody
 * can open, are skipped unless a preview token proves that the owner did.
 */
export async function notifyOfHandoff(
  { database: { db }, jobs }: { database: Database; jobs: Jobs },
  { messageId, reason }: { messageId: number; reason: (typeof handoffReasons)[number] },
): Promise<void> {
  await db.transaction(async (tx) => {
    const [found] = await tx
      .select({
        assistant: {
          id: assistants.id,
          uuid: assistants.uuid,
          userId: assistants.userId,
          timezone: assistants.timezone,
          url: assistants.handoffWebhookUrl,
        },
        conversation: {
          id: conversations.id,
          uuid: conversations.uuid,
          type: conversations.type,
          isPreview: conversations.isPreview,
          variables: conversations.variables,
        },
        message: messages.content,
        createdAt: wireTimestamp(messages.createdAt),
      })
      .from(messages)
      .innerJoin(conversations, eq(conversations.id, messages.conversationId))
      .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
      .where(eq(messages.id, messageId))
      // It must not be deleted before the delivery, which refers to it, is stored.
      .for('key share', { of: conversations });
    if (!found) return;
    const { assistant, conversation, message, createdAt } = found;
    const { id: assistantId, userId, url } = assistant;
    const { type, isPreview, variables } = conversation;
    if (url === null || (type !== 'widget' && !isPreview)) return;
    const payload: HandoffWebhook = {
      conversation_id: conversation.uuid,
      assistant_id: assistant.uuid,
      type,
      reason,
      message,
      input_variables: variables,
      customer_name: customerName(variables),
      created_at: zonedTimestamp(createdAt, assistant.timezone),
    };
    await createDelivery(tx, jobs, {
      userId,
      assistantId,
      conversationId: conversation.id,
      event: 'handoff-requested',
      url,
      payload,
      // The UUID is never given again. A message's number is, after an older backup was restored.
      webhookId: `msg_handoff_${conversation.uuid}_${String(messageId)}`,
    });
  });
}
