import { createHash } from 'node:crypto';
import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import { ConversationError } from '../lib/conversation-error.ts';
import type { Queries } from '../db/database.ts';
import { idempotencyKeys } from '../db/schema.ts';

/** When a new key expires. After that it may be used for another request. */
const expiry = sql`now() + interval '24 hours'`;

/** A request that carries an `Idempotency-Key`. */
export interface KeyedRequest {
  key: string;
  /**
   * The scope in which the key is unique: `open`, a conversation's UUID, the calls of a user, or a customer of an
   * assistant (see `generate-reply.ts`).
   */
  scope: string;
  /** The validated body; reusing the key with another body is an error of the client. */
  body: unknown;
}

/**
 * The records that an earlier request with the same key created. A conversation or message is deleted together with the
 * key; a deleted call becomes null.
 */
export interface EarlierOutcome {
  conversationId: number | null;
  messageId: number | null;
  callId: number | null;
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Claims the key for this request, in the transaction that does the request's work: a rollback releases the key. A
 * concurrent request with the same key waits here until this transaction ends. `accept-message.ts`,
 * `open-conversation.ts` and `make-call.ts` call it before anything is charged, so a key pays once.
 *
 * @returns the outcome of the earlier request, or undefined if this request is the first.
 * @throws ConversationError if the key was used with another body.
 */
export async function claimKey(queries: Queries, request: KeyedRequest): Promise<EarlierOutcome | undefined> {
  const keyHash = sha256(request.key);
  const requestHash = sha256(JSON.stringify(request.body));
  const claimed = await queries
    .insert(idempotencyKeys)
    .values({ scope: request.scope, keyHash, requestHash, expiresAt: expiry })
    .onConflictDoUpdate({
      target: [idempotencyKeys.scope, idempotencyKeys.keyHash],
      set: {
        requestHash,
        conversationId: null,
        messageId: null,
        callId: null,
        createdAt: sql`now()`,
        expiresAt: expiry,
      },
      setWhere: lte(idempotencyKeys.expiresAt, sql`now()`),
    })
    .returning({ scope: idempotencyKeys.scope });
  if (claimed.length > 0) return undefined;

  // The conflict has locked the row, so it still exists.
  const [earlier] = await queries
    .select()
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.scope, request.scope), eq(idempotencyKeys.keyHash, keyHash)));
  if (!earlier) throw new Error('An idempotency key vanished while it was locked.');
  if (!earlier.requestHash.equals(requestHash)) {
    throw new ConversationError(
      'invalid-request',
      'Idempotency-Key was used before with another body; use a new key for a new request',
    );
  }
  const { conversationId, messageId, callId } = earlier;
  return { conversationId, messageId, callId };
}

/** Records the outcome of the request, in the same transaction as `claimKey`. */
export async function recordOutcome(
  queries: Queries,
  request: KeyedRequest,
  outcome: Partial<EarlierOutcome>,
): Promise<void> {
  await queries
    .update(idempotencyKeys)
    .set(outcome)
    .where(and(eq(idempotencyKeys.scope, request.scope), eq(idempotencyKeys.keyHash, sha256(request.key))));
}

/** Releases the key of a message whose reply failed, so that the request can be retried. */
export async function releaseKeys(queries: Queries, messageIds: number[]): Promise<void> {
  await queries.delete(idempotencyKeys).where(inArray(idempotencyKeys.messageId, messageIds));
}

/** Deletes expired keys. */
export async function purgeExpiredKeys(queries: Queries): Promise<void> {
  await queries.delete(idempotencyKeys).where(lte(idempotencyKeys.expiresAt, sql`now()`));
}
