import { randomBytes } from 'node:crypto';
import { and, desc, eq, gt, isNull, lte, or, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { webhookSecrets } from '../db/webhooks-tables.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';

/** How long a secret holds after it was replaced, so that receivers have time to learn the new one. */
const overlap = sql`interval '24 hours'`;

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

const ofUser = (userId: number) => eq(webhookSecrets.userId, userId);
const holds = or(isNull(webhookSecrets.expiresAt), gt(webhookSecrets.expiresAt, sql`now()`));

/** A user's secrets that hold, the current one first. It is made when it is first asked for. */
export async function signingSecrets(queries: Queries, userId: number): Promise<[string, ...string[]]> {
  const read = async () => {
    const found = await queries
      .select({ secret: webhookSecrets.secret, isCurrent: sql<boolean>`expires_at IS NULL` })
      .from(webhookSecrets)
      .where(and(ofUser(userId), holds))
      .orderBy(desc(webhookSecrets.id));
    const [current, ...others] = found.map(({ secret }) => secret);
    return current === undefined || found[0]?.isCurrent !== true
      ? undefined
      : ([current, ...others] as const);
  };
  const known = await read();
  if (known) return [...known];
  await queries.insert(webhookSecrets).values({ userId, secret: newSecret() }).onConflictDoNothing();
  const [made, ...others] = (await read()) ?? [];
  if (made === undefined) throw new Error('The webhook secret was not stored.');
  return [made, ...others];
}

/** A user's current secret as the wire has it. */
export async function readWebhookSecret({ db }: Database, userId: number) {
  await signingSecrets(db, userId);
  const [found] = await db
    .select({
      secret: webhookSecrets.secret,
      created_at: wireTimestamp(webhookSecrets.createdAt),
      previous_expires_at: sql<string | null>`(
        SELECT ${wireTimestamp(sql`max(expires_at)`)} FROM webhook_secrets
        WHERE user_id = ${userId} AND expires_at > now())`,
    })
    .from(webhookSecrets)
    .where(and(ofUser(userId), isNull(webhookSecrets.expiresAt)));
  return found;
}

/** Replaces a user's secret. The one before holds for a day; those before it end at once. */
export async function rotateWebhookSecret(database: Database, userId: number) {
  await database.db.transaction(async (tx) => {
    // Rotations of one user take turns, since only one secret can be the current one.
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
    await tx.insert(webhookSecrets).values({ userId, secret: newSecret() });
  });
  return readWebhookSecret(database, userId);
}
