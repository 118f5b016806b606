import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { apiKeys, users } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';

/** Prefix of API keys, by which scanners for leaked secrets recognize them. */
export const apiKeyPrefix = 'vac_';

/** Longest bearer token that is looked up. Ours have 47 characters. */
const tokenLimit = 200;

/** The user on whose behalf a request acts. */
export interface ApiUser {
  id: number;
  /** The key that the request carries. */
  keyId: number;
  name: string;
  email: string;
  /** USD, as a decimal string. */
  balance: string;
}

const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Creates a key of 256 random bits for a user. Only its hash is stored, so the returned value cannot be read again. */
export async function createApiKey(queries: Queries, userId: number, name: string): Promise<string> {
  const key = apiKeyPrefix + randomBytes(32).toString('base64url');
  await queries.insert(apiKeys).values({ userId, name, keyHash: hashKey(key) });
  return key;
}

/**
 * Returns the user of a key and records its use, in one round trip. The lookup by hash does not leak the key through
 * timing; the hashes are also compared in constant time.
 */
export async function authenticate(queries: Queries, key: string): Promise<ApiUser | undefined> {
  if (!key.startsWith(apiKeyPrefix) || key.length > tokenLimit) return undefined;
  const keyHash = hashKey(key);
  const [found] = await queries
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .from(users)
    .where(sql`${apiKeys.keyHash} = ${keyHash} AND ${users.id} = ${apiKeys.userId}`)
    .returning({
      storedHash: apiKeys.keyHash,
      keyId: apiKeys.id,
      id: users.id,
      name: users.name,
      email: users.email,
      balance: users.balance,
    });
  if (!found || !timingSafeEqual(found.storedHash, keyHash)) return undefined;
  const { id, keyId, name, email, balance } = found;
  return { id, keyId, name, email, balance };
}

/** Whether a key is valid and belongs to a user. Does not count as use. */
export async function isApiKeyOf(queries: Queries, userId: number, key: string): Promise<boolean> {
  const found = await queries
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, userId), eq(apiKeys.keyHash, hashKey(key))));
  return found.length > 0;
}

/** Revokes a key; returns false if there is none with this id. */
export async function revokeApiKey(queries: Queries, id: number): Promise<boolean> {
  const revoked = await queries.delete(apiKeys).where(eq(apiKeys.id, id)).returning({ id: apiKeys.id });
  return revoked.length > 0;
}

/** Lists the keys of a user without their values, newest first (interface: "API key"). */
export async function listApiKeys(queries: Queries, userId: number) {
  return queries
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      last_used_at: sql<string | null>`${wireTimestamp(apiKeys.lastUsedAt)}`,
      created_at: wireTimestamp(apiKeys.createdAt),
    })
    .from(apiKeys)
    .where(eq(apiKeys.userId, userId))
    .orderBy(desc(apiKeys.id));
}
