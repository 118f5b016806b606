import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { and, desc, eq, sql } from 'drizzle-orm';
import { scopes as allScopes } from '../../contract/operations.ts';
import type { Scope } from '../../contract/operations.ts';
import type { Database, Queries } from '../db/database.ts';
import { apiKeys, users } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { isInRanges, parseAddressRange } from '../lib/address-range.ts';

/** Prefix of API keys, by which scanners for leaked secrets recognize them. */
const apiKeyPrefix = 'vac_';

/** Longest bearer token that is looked up. Ours have 47 characters. */
const tokenLimit = 200;

/** The user on whose behalf a request acts. */
export interface ApiUser {
  id: number;
  /** The key that the request carries. */
  keyId: number;
  keyName: string;
  name: string;
  email: string;
  /** USD, as a decimal string. */
  balance: string;
  /** The scopes of the key. */
  scopes: readonly Scope[];
}

/** The permissions and the lifetime of a key. */
export interface KeyRestrictions {
  /** All scopes by default. */
  scopes?: readonly Scope[] | undefined;
  /** Days until the key expires; it does not expire by default. */
  expiresInDays?: number | undefined;
  /** Addresses and CIDR ranges that may use the key; any by default. */
  allowedAddresses?: readonly string[] | undefined;
}

/** Why a key is not accepted. */
export class KeyRefusal {
  readonly reason: 'unknown' | 'expired' | 'foreign-address';
  /** Undefined for an unknown key. */
  readonly keyId: number | undefined;

  constructor(reason: KeyRefusal['reason'], keyId?: number) {
    this.reason = reason;
    this.keyId = keyId;
  }
}

const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Creates a key of 256 random bits for a user. Only its hash is stored, so the returned value cannot be read again. */
export async function storeApiKey(
  queries: Queries,
  userId: number,
  name: string,
  { scopes = allScopes, expiresInDays, allowedAddresses = [] }: KeyRestrictions = {},
): Promise<{ id: number; key: string }> {
  const key = newKey();
  const values = {
    scopes: [...scopes],
    expiresAt: expiresInDays === undefined ? null : inDays(expiresInDays),
    lifetime: expiresInDays === undefined ? null : days(expiresInDays),
    allowedAddresses: [...allowedAddresses],
  };
  const [stored] = await queries
    .insert(apiKeys)
    .values({ userId, name, keyHash: hashKey(key), ...values })
    .returning({ id: apiKeys.id });
  if (!stored) throw new Error('The key was not stored.');
  return { id: stored.id, key };
}

const newKey = () => apiKeyPrefix + randomBytes(32).toString('base64url');
const days = (count: number) => sql<string>`${count} * interval '1 day'`;
const inDays = (count: number) => sql<Date>`now() + ${days(count)}`;

/** The key was already rotated, so another key replaces it. */
export class KeyReplacedError extends Error {
  override readonly name = 'KeyReplacedError';
  readonly replacedBy: number;

  constructor(id: number, replacedBy: number) {
    super(`The key ${id} is already replaced by the key ${replacedBy}.`);
    this.replacedBy = replacedBy;
  }
}

/**
 * Replaces a key by another one with the same name and restrictions. The previous key expires after the overlap, unless
 * it expires earlier.
 *
 * @param change.overlapHours how long the previous key stays valid.
 * @param change.expiresInDays days until the new key expires; by default it is valid as long as the previous one was.
 * @returns the new key; undefined if there is no key with this id.
 * @throws KeyReplacedError
 */
export async function rotateApiKey(
  { db }: Database,
  id: number,
  { overlapHours, expiresInDays }: { overlapHours: number; expiresInDays?: number | undefined },
): Promise<{ id: number; userId: number; key: string; previousExpiresAt: string } | undefined> {
  return db.transaction(async (tx) => {
    const [previous] = await tx
      .select({
        userId: apiKeys.userId,
        name: apiKeys.name,
        scopes: apiKeys.scopes,
        allowedAddresses: apiKeys.allowedAddresses,
        replacedBy: apiKeys.replacedBy,
        lifetime: apiKeys.lifetime,
      })
      .from(apiKeys)
      .where(eq(apiKeys.id, id))
      .for('update');
    if (!previous) return undefined;
    const { replacedBy, ...same } = previous;
    if (replacedBy !== null) throw new KeyReplacedError(id, replacedBy);
    const key = newKey();
    const lifetime = expiresInDays === undefined ? same.lifetime : days(expiresInDays);
    const expiresAt = lifetime === null ? null : sql`now() + ${lifetime}::interval`;
    const [created] = await tx
      .insert(apiKeys)
      .values({ ...same, keyHash: hashKey(key), expiresAt, lifetime })
      .returning({ id: apiKeys.id });
    if (!created) throw new Error('The key was not stored.');
    const [shortened] = await tx
      .update(apiKeys)
      .set({
        replacedBy: created.id,
        expiresAt: sql`least(${apiKeys.expiresAt}, now() + ${overlapHours} * interval '1 hour')`,
      })
      .where(eq(apiKeys.id, id))
      .returning({ expiresAt: wireTimestamp(apiKeys.expiresAt) });
    return { id: created.id, userId: same.userId, key, previousExpiresAt: shortened?.expiresAt ?? '' };
  });
}

/**
 * Returns the user of a key and records its use. The lookup by hash does not leak the key through timing; the hashes
 * are also compared in constant time.
 *
 * @param address the address of the client.
 */
export async function authenticate(
  queries: Queries,
  key: string,
  address: string,
): Promise<ApiUser | KeyRefusal> {
  if (!key.startsWith(apiKeyPrefix) || key.length > tokenLimit) return new KeyRefusal('unknown');
  const keyHash = hashKey(key);
  const [found] = await queries
    .select({
      storedHash: apiKeys.keyHash,
      isNotExpired: sql<boolean>`${isNotExpired}`,
      isUseRecorded: sql<boolean>`coalesce(${isUseRecorded}, false)`,
      allowedAddresses: apiKeys.allowedAddresses,
      user: {
        id: users.id,
        keyId: apiKeys.id,
        keyName: apiKeys.name,
        name: users.name,
        email: users.email,
        balance: users.balance,
        scopes: apiKeys.scopes,
      },
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(eq(apiKeys.keyHash, keyHash));
  if (!found || !timingSafeEqual(found.storedHash, keyHash)) return new KeyRefusal('unknown');
  const { user, allowedAddresses } = found;
  if (!found.isNotExpired) return new KeyRefusal('expired', user.keyId);
  const ranges = allowedAddresses.map(parseAddressRange).filter((range) => range !== undefined);
  if (allowedAddresses.length > 0 && !isInRanges(address, ranges)) {
    return new KeyRefusal('foreign-address', user.keyId);
  }
  if (!found.isUseRecorded) {
    await queries
      .update(apiKeys)
      .set({ lastUsedAt: sql`now()` })
      .where(and(eq(apiKeys.id, user.keyId), sql`(${isUseRecorded}) IS NOT TRUE`));
  }
  return user;
}

/** A minute is precise enough for `last_used_at`, and spares most requests a write. */
const isUseRecorded = sql`${apiKeys.lastUsedAt} > now() - interval '1 minute'`;

const isNotExpired = sql`(${apiKeys.expiresAt} IS NULL OR ${apiKeys.expiresAt} > now())`;

/** Whether a key is valid and belongs to a user. Does not count as use. */
export async function isApiKeyOf(queries: Queries, userId: number, key: string): Promise<boolean> {
  const found = await queries
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, userId), eq(apiKeys.keyHash, hashKey(key)), isNotExpired));
  return found.length > 0;
}

/** Revokes a key; returns its user, or undefined if there is no key with this id. */
export async function revokeApiKey(queries: Queries, id: number): Promise<number | undefined> {
  const [revoked] = await queries
    .delete(apiKeys)
    .where(eq(apiKeys.id, id))
    .returning({ userId: apiKeys.userId });
  return revoked?.userId;
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
      allowed_addresses: apiKeys.allowedAddresses,
      replaced_by: apiKeys.replacedBy,
    })
    .from(apiKeys)
    .where(eq(apiKeys.userId, userId))
    .orderBy(desc(apiKeys.id));
}
