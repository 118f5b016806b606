import { createChallenge, extractParams, verifySolution } from 'altcha-lib/v1';
import { eq } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import { signingKeys } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';

/** The highest number that a client has to try; half of it on average. */
const maxNumber = 10_000;

/** The message that work is proven for. A turn is used once, so no solution is used twice. */
interface ProvenMessage {
  conversationUuid: string;
  turn: number;
}

/**
 * Checks that a client has solved the challenge of this message (protocol: ALTCHA, version 1). The challenge itself
 * contains what it is for, and is signed, so nothing is stored.
 *
 * @param solution the payload in Base64
 * @throws ConversationError with a challenge, if it has not.
 */
export async function requireProof(
  queries: Queries,
  { conversationUuid, turn }: ProvenMessage,
  solution: string | undefined,
): Promise<void> {
  const [stored] = await selectKey(queries, {});
  if (!stored) throw new Error('The key for proofs of work is missing.');
  const params = { conversation: conversationUuid, turn: String(turn) };
  if (solution !== undefined && (await isSolution(solution, params, stored.key))) return;
  throw ConversationError.proofRequired(await createChallenge({ hmacKey: stored.key, maxNumber, params }));
}

async function isSolution(solution: string, params: Record<string, string>, key: string): Promise<boolean> {
  try {
    const given = extractParams(solution);
    if (Object.entries(params).some(([name, value]) => given[name] !== value)) return false;
    return await verifySolution(solution, key);
  } catch {
    // The library throws for payloads that are no JSON, or name another algorithm.
    return false;
  }
}

const selectKey = prepared<object, { key: string }[]>((queries) =>
  queries.select({ key: signingKeys.key }).from(signingKeys).where(eq(signingKeys.name, 'proof-of-work')),
);
