import { randomBytes } from 'node:crypto';
import { and, desc, eq, gt, isNull, lte, or, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import type { SecretBox } from '../db/secrets/secret-box.ts';
import { webhookSecret } from '../db/secrets/sealed-columns.ts';
import { webhookSecrets } from '../db/webhooks-tables.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';

/** Time for which a replaced secret stays valid, so that receivers can switch to the new one. */
const overlap = sql`interval '24 hours'`;

const newSecretRow = (secrets: SecretBox, userId: number) => ({
  userId,
  secret: secrets.seal(webhookSecret, userId, `whsec_${randomBytes(32).toString('base64')}`),
});

const ofUser = (userId: number) => eq(webhookSecrets.userId, userId);
const isValid = or(isNull(webhookSecrets.expiresAt), gt(webhookSecrets.expiresAt, sql`now()`));

/** Returns a user's valid secrets, the current one first. Creates the first one if there is none. */
export async function signingSecrets(
  { db, secrets }: Pick<Database, 'db' | 'secrets'>,
  userId: number,
): Promise<string[]> {
  const read = async () => {
    const found = await db
      .select({ secret: secrets.select(webhookSecret), isCurrent: sql<boolean>`expires_at IS NULL` })
      .from(webhookSecrets)
      .where(and(ofUser(userId), isValid))
      .orderBy(desc(webhookSecrets.id));
    return found[0]?.isCurrent === true ? found.map(({ secret }) => secret) : undefined;
  };
  const existing = await read();
  if (existing) return existing;
  await db.insert(webhookSecrets).values(newSecretRow(secrets, userId)).onConflictDoNothing();
  const created = await read();
  if (!created) throw new Error('The webhook secret was not stored.');
  return created;
}

/** Returns a user's current secret as a record of the interface. */
export async function readWebhookSecret(database: Database, userId: number) {
  await signingSecrets(database, userId);
  return currentSecret(database, userId);
}

/** Decrypts no replaced secret, since that may be impossible. */
async function currentSecret(database: Database, userId: number) {
  const [found] = await database.db
    .select({
      secret: database.secrets.select(webhookSecret),
      created_at: wireTimestamp(webhookSecrets.createdAt),
      previous_expires_at: sql<string | null>`(
        SELECT ${wireTimestamp(sql`max(expires_at)`)} FROM webhook_secrets
        WHERE user_id = ${userId} AND expires_at > now())`,
    })
    .from(webhookSecrets)
    .where(and(ofUser(userId), isNull(webhookSecrets.expiresAt)));
  return found;
}

/** Replaces a user's secret. The previous one stays valid for a day; older ones expire immediately. */
export async function rotateWebhookSecret(database: Database, userId: number) {
  await database.db.transaction(async (tx) => {
    // Serializes concurrent rotations, since a user has one current secret.
    await tx.execute(sql`SELECT 1 FROM users WHERE id = ${userId} FOR NO KEY UPDATE`);
    await tx
      .update(webhookSecrets)
      .set({ expiresAt: sql`now()` })
      .where(and(ofUser(userId), gt(webhookSecrets.expiresAt, sql`now()`)));
    await tx
      .update(webhookSecrets)
      .set({ expiresAt: sql`now() + ${overlap}` })
      .where(and(ofUser(userId), isNull(webhookSecrets.expiresAt)));
    await tx.delete(webhookSecrets).where(and(ofUser(userId), lte(webhookSecrets.expiresAt, sql`now()`)));
    await tx.insert(webhookSecrets).values(newSecretRow(database.secrets, userId));
  });
  return currentSecret(database, userId);
}
