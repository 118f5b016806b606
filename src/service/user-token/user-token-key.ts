import { createPublicKey, randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { UserTokenSecret } from '../../contract/user-token.ts';
import { isOwned } from '../assistant/save-assistant.ts';
import type { OwnedAssistant } from '../assistant/save-assistant.ts';
import type { Database, Queries } from '../db/database.ts';
import { userTokenKey } from '../db/secrets/sealed-columns.ts';
import { assistants, userTokenKeys } from '../db/schema.ts';
import { Refusal, sentence } from '../lib/refusal.ts';

/** An Ed25519 public key as in a request: PEM text or a JWK. */
type GivenKey = string | Record<string, unknown>;

/**
 * Replaces the key that verifies an assistant's user tokens: by the given public key, otherwise by a new secret of 256
 * random bits.
 *
 * @throws Refusal if the assistant does not exist or the public key is invalid.
 */
export async function setUserTokenKey(
  { db, secrets }: Database,
  owned: OwnedAssistant,
  publicKey?: GivenKey | null,
): Promise<UserTokenSecret> {
  const secret = publicKey ? null : `uts_${randomBytes(32).toString('base64url')}`;
  const algorithm = publicKey ? 'EdDSA' : 'HS256';
  const key = secrets.seal(userTokenKey, owned.id, publicKey ? readPublicKey(publicKey) : (secret ?? ''));
  await db.transaction(async (tx) => {
    await requireAssistant(tx, owned);
    await tx
      .insert(userTokenKeys)
      .values({ assistantId: owned.id, algorithm, key })
      .onConflictDoUpdate({ target: userTokenKeys.assistantId, set: { algorithm, key } });
  });
  return { algorithm, secret };
}

/**
 * Deletes the key, so that every user token of the assistant is refused.
 *
 * @returns false if there was none.
 * @throws Refusal if the assistant does not exist.
 */
export async function deleteUserTokenKey({ db }: Database, owned: OwnedAssistant): Promise<boolean> {
  await requireAssistant(db, owned);
  const deleted = await db
    .delete(userTokenKeys)
    .where(eq(userTokenKeys.assistantId, owned.id))
    .returning({ id: userTokenKeys.assistantId });
  return deleted.length > 0;
}

async function requireAssistant(queries: Queries, owned: OwnedAssistant): Promise<void> {
  const found = await queries.select({ id: assistants.id }).from(assistants).where(isOwned(owned));
  if (found.length === 0) throw Refusal.notFound('Assistant');
}

/** Returns the key as PEM text. */
function readPublicKey(given: GivenKey): string {
  const isPrivate = typeof given === 'string' ? given.includes('PRIVATE KEY') : 'd' in given;
  if (isPrivate) throw invalidKey('must be the public key; replace this private key, since it was sent.');
  try {
    const key = createPublicKey(typeof given === 'string' ? given : { key: given, format: 'jwk' });
    if (key.asymmetricKeyType === 'ed25519') return key.export({ type: 'spki', format: 'pem' }).toString();
  } catch {
    // Neither PEM nor a JWK.
  }
  throw invalidKey('must be an Ed25519 public key, as PEM text (SPKI) or as a JWK.');
}

const invalidKey = (rest: string) => Refusal.invalidField('public_key', sentence('public_key', rest));
