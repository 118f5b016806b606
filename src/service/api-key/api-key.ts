import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { and, desc, eq, sql } from 'drizzle-orm';
import { scopes as allScopes } from '../../contract/operations.ts';
import type { Scope } from '../../contract/operations.ts';
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
  /** The scopes of the key. */
  scopes: readonly Scope[];
}

/** What a key permits, and how long. */
export interface KeyRestrictions {
  /** All scopes by default. */
  scopes?: readonly Scope[] | undefined;
  /** Days until the key expires; it does not expire by default. */
  expiresInDays?: number | undefined;
}

/** Why a key is not accepted. */
export type KeyRefusal = 'unknown' | 'expired';

const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Creates a key of 256 random bits for a user. Only its hash is stored, so the returned value cannot be read again. */
export async function createApiKey(
  queries: Queries,
  userId: number,
  name: string,
  { scopes = allScopes, expiresInDays }: KeyRestrictions = {},
): Promise<string> {
  const key = apiKeyPrefix + randomBytes(32).toString('base64url');
  const expiresAt = expiresInDays === undefined ? null : sql`now() + ${expiresInDays} * interval '1 day'`;
  await queries
    .insert(apiKeys)
    .values({ userId, name, keyHash: hashKey(key), scopes: [...scopes], expiresAt });
  return key;
}

/**
 * Returns the user of a key and records its use. The lookup by hash does not leak the key through timing; the hashes
 * are also compared in constant time.
 */
export async function authenticate(queries: Queries, key: string): Promise<ApiUser | KeyRefusal> {
  if (!key.startsWith(apiKeyPrefix) || key.length > tokenLimit) return 'unknown';
  const keyHash = hashKey(key);
  const [found] = await queries
    .select({
      storedHash: apiKeys.keyHash,
      hasExpired: sql<boolean>`coalesce(${apiKeys.expiresAt} <= now(), false)`,
      isUseRecorded: sql<boolean>`coalesce(${isUseRecorded}, false)`,
      user: {
        id: users.id,
        keyId: apiKeys.id,
        name: users.name,
        email: users.email,
        balance: users.balance,
        scopes: apiKeys.scopes,
      },
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(eq(apiKeys.keyHash, keyHash));
  if (!found || !timingSafeEqual(found.storedHash, keyHash)) return 'unknown';
  if (found.hasExpired) return 'expired';
  if (!found.isUseRecorded) {
    await queries
      .update(apiKeys)
      .set({ lastUsedAt: sql`now()` })
      .where(and(eq(apiKeys.id, found.user.keyId), sql`(${isUseRecorded}) IS NOT TRUE`));
  }
  return found.user;
}

/** A minute is precise enough for `last_used_at`, and spares most requests a write. */
const isUseRecorded = sql`${apiKeys.lastUsedAt} > now() - interval '1 minute'`;

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
      scopes: apiKeys.scopes,
      expires_at: sql<string | null>`${wireTimestamp(apiKeys.expiresAt)}`,
    })
    .from(apiKeys)
    .where(eq(apiKeys.userId, userId))
    .orderBy(desc(apiKeys.id));
}
