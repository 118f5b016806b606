import { createChallenge, extractParams, verifySolution } from 'altcha-lib/v1';
import { eq } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import { signingKeys } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';

/** Maximum number of attempts for the first challenges; half are needed on average. Challenges begin at `share`. */
export const easiest = { share: 0.5, attempts: 10_000 };
/** The same for the last message of the day. Half of them take browsers less than 300 ms (`npm run bench:proof`). */
export const hardestAttempts = 100_000;

/** Maximum number of attempts for a visitor who has used this share of the daily limit. */
const attemptsFor = (share: number) =>
  Math.round(
    easiest.attempts *
      (hardestAttempts / easiest.attempts) ** ((share - easiest.share) / (1 - easiest.share)),
  );

/** How many times easier a solved challenge may be than a new one: others with the same address may write meanwhile. */
const tolerance = 2;

/** The message or call that a proof of work is for. */
interface ProvenRequest {
  conversationUuid: string;
  /** The turn of the message, or the number of the call. It is used once, so a solution is valid once. */
  use: { turn: string } | { call: string };
  /** Share of the visitor's daily limit that is used with this message or call, 0 to 1. */
  share: number;
}

/**
 * Checks that a client has solved the challenge of this message or call (protocol: ALTCHA, version 1). The first half of the
 * daily limit needs none. The challenge contains its use and difficulty, and is signed, so nothing is stored.
 *
 * @param solution the payload in Base64
 * @throws ConversationError with a challenge, if it has not.
 */
export async function requireProof(
  queries: Queries,
  { conversationUuid, use, share }: ProvenRequest,
  solution: string | undefined,
): Promise<void> {
  if (share <= easiest.share) return;
  const [stored] = await selectKey(queries, {});
  if (!stored) throw new Error('The key for proofs of work is missing.');
  const maxNumber = attemptsFor(share);
  const expected = { conversation: conversationUuid, ...use };
  if (solution !== undefined && (await isSolution(solution, expected, maxNumber / tolerance, stored.key)))
    return;
  const params = { ...expected, attempts: String(maxNumber) };
  throw ConversationError.proofRequired(await createChallenge({ hmacKey: stored.key, maxNumber, params }));
}

async function isSolution(
  solution: string,
  expected: Record<string, string>,
  attempts: number,
  key: string,
): Promise<boolean> {
  try {
    const given = extractParams(solution);
    if (Object.entries(expected).some(([name, value]) => given[name] !== value)) return false;
    // A script could collect easy challenges for many messages before it sends the first.
    if (!(Number(given['attempts']) >= attempts)) return false;
    return await verifySolution(solution, key);
  } catch {
    // The library throws for payloads that are no JSON, or name another algorithm.
    return false;
  }
}

const selectKey = prepared<object, { key: string }[]>((queries) =>
  queries.select({ key: signingKeys.key }).from(signingKeys).where(eq(signingKeys.name, 'proof-of-work')),
);
