import { createHash, randomBytes } from 'node:crypto';
import { and, eq, gt, lte, sql } from 'drizzle-orm';
import { isOwned } from '../assistant/save-assistant.ts';
import type { OwnedAssistant } from '../assistant/save-assistant.ts';
import type { Database, Queries } from '../db/database.ts';
import { assistants, previewTokens } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { Refusal } from '../lib/refusal.ts';

const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Creates a preview token of 256 random bits, valid for one hour. Only its hash is stored.
 *
 * @throws Refusal if the assistant does not exist.
 */
export async function createPreviewToken({ db }: Database, owned: OwnedAssistant) {
  const token = `vpt_${randomBytes(32).toString('base64url')}`;
  const [found] = await db.select({ id: assistants.id }).from(assistants).where(isOwned(owned));
  if (!found) throw Refusal.notFound('Assistant');
  const [created] = await db
    .insert(previewTokens)
    .values({ tokenHash: hashToken(token), assistantId: owned.id, expiresAt: sql`now() + interval '1 hour'` })
    .returning({ expires_at: wireTimestamp(previewTokens.expiresAt) });
  return { token, ...created };
}

/** Whether a token is a valid preview token of the assistant. */
export async function isPreviewToken(queries: Queries, assistantId: number, token: string): Promise<boolean> {
  const found = await queries
    .select({ assistantId: previewTokens.assistantId })
    .from(previewTokens)
    .where(
      and(
        eq(previewTokens.tokenHash, hashToken(token)),
        eq(previewTokens.assistantId, assistantId),
        gt(previewTokens.expiresAt, sql`now()`),
      ),
    );
  return found.length > 0;
}

/** Deletes expired preview tokens. */
export async function deleteExpiredPreviewTokens(queries: Queries): Promise<void> {
  await queries.delete(previewTokens).where(lte(previewTokens.expiresAt, sql`now()`));
}
