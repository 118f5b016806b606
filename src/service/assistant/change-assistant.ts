import { sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { assistants } from '../db/schema.ts';
import { Refusal } from '../lib/refusal.ts';
import { enableUrls } from '../webhook-url/disable-failing-url.ts';
import { isOwned } from './save-assistant.ts';
import type { OwnedAssistant } from './save-assistant.ts';

/** The webhook fields to change. */
type Webhooks = Partial<
  Pick<
    typeof assistants.$inferInsert,
    'isWebhookActive' | 'webhookUrl' | 'inboundWebhookUrl' | 'conversationEndedWebhookUrl'
  >
>;

/**
 * Turns webhooks of an assistant on or off. A disabled address is enabled.
 *
 * @throws Refusal if the assistant does not exist.
 */
export async function setWebhooks(
  { db }: Database,
  owned: OwnedAssistant,
  webhooks: Webhooks,
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireOne(
      tx
        .update(assistants)
        .set({ ...webhooks, updatedAt: sql`now()` })
        .where(isOwned(owned))
        .returning({ id: assistants.id }),
    );
    await enableUrls(tx, owned.userId, [webhooks.inboundWebhookUrl, webhooks.conversationEndedWebhookUrl]);
  });
}

/**
 * Soft-deletes an assistant and unlinks its phone number. Its calls and conversations stay readable.
 *
 * @throws Refusal if the assistant does not exist.
 */
export async function deleteAssistant({ db }: Database, owned: OwnedAssistant): Promise<void> {
  await requireOne(
    db
      .update(assistants)
      .set({ deletedAt: sql`now()`, phoneNumberId: null })
      .where(isOwned(owned))
      .returning({ id: assistants.id }),
  );
}

async function requireOne(changed: PromiseLike<unknown[]>): Promise<void> {
  if ((await changed).length === 0) throw Refusal.notFound('Assistant');
}
