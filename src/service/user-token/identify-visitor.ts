import { createPublicKey } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import { errors, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';
import { countCharacters, limits, requestLimits } from '../../contract/limits.ts';
import type { Database } from '../db/database.ts';
import { userTokenKey } from '../db/secrets/sealed-columns.ts';
import { assistants, userTokenKeys } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { storable, unstorable } from '../lib/storable.ts';
import { isPreviewToken } from './preview-token.ts';

/** The visitor who opens a conversation. */
export interface Visitor {
  /** The `sub` of the user token; null without one. */
  verifiedUser: string | null;
  /** The claims of the user token, as variables whose names begin with `verified.`. */
  claims: StoredVariables;
  /** Whether a preview token proves that the assistant's owner opens it. */
  isPreview: boolean;
}

/**
 * Identifies the visitor who opens a conversation by the request's `user_token`: a preview token in conversations of
 * type `test`, otherwise a JWT signed by the site.
 *
 * @throws ConversationError if the token is not valid, or absent though the assistant requires one.
 */
export async function identifyVisitor(
  { db, secrets }: Database,
  request: { assistantUuid: string; type: 'widget' | 'test'; userToken: string | null | undefined },
): Promise<Visitor> {
  const { assistantUuid, type, userToken } = request;
  const [assistant] = await db
    .select({
      id: assistants.id,
      isTokenRequired: assistants.userTokenRequired,
      algorithm: userTokenKeys.algorithm,
      key: secrets.select(userTokenKey),
    })
    .from(assistants)
    .leftJoin(userTokenKeys, eq(userTokenKeys.assistantId, assistants.id))
    .where(and(eq(assistants.uuid, assistantUuid), isNull(assistants.deletedAt)));
  if (!assistant) throw ConversationError.assistantNotFound();
  const { id, isTokenRequired, algorithm, key } = assistant;
  if (!userToken) {
    if (isTokenRequired) throw ConversationError.userTokenRequired();
    return { verifiedUser: null, claims: {}, isPreview: false };
  }
  if (type === 'test') {
    if (await isPreviewToken(db, id, userToken)) return { verifiedUser: null, claims: {}, isPreview: true };
    throw ConversationError.userTokenInvalid('the preview token is invalid or expired');
  }
  if (algorithm === null) {
    throw ConversationError.userTokenInvalid('the assistant has no secret for user tokens');
  }
  const payload = await verify(userToken, algorithm, key);
  return { verifiedUser: readSubject(payload), claims: readClaims(payload), isPreview: false };
}

/** Clocks may differ by this many seconds. */
const clockTolerance = 60;

async function verify(token: string, algorithm: 'HS256' | 'EdDSA', key: string): Promise<JWTPayload> {
  // Only the algorithms of the stored key: a token must not choose how it is verified.
  const options = { clockTolerance, requiredClaims: ['sub', 'exp'] };
  try {
    const { payload } =
      algorithm === 'HS256'
        ? await jwtVerify(token, new TextEncoder().encode(key), { ...options, algorithms: ['HS256'] })
        : await jwtVerify(token, createPublicKey(key), { ...options, algorithms: ['EdDSA', 'Ed25519'] });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw ConversationError.userTokenExpired();
    if (error instanceof errors.JOSEError) {
      throw ConversationError.userTokenInvalid(error.message, { cause: error });
    }
    throw error;
  }
}

const { userToken: tokenLimits } = requestLimits;
const { variables: variableLimits } = limits;

function readSubject({ sub }: JWTPayload): string {
  const isText = typeof sub === 'string' && sub !== '' && storable(sub) !== unstorable;
  if (!isText || countCharacters(sub) > tokenLimits.subject) {
    throw ConversationError.userTokenInvalid(`sub must be text of 1 to ${tokenLimits.subject} characters`);
  }
  return sub.toWellFormed();
}

/** Registered claims (RFC 7519), which say nothing about the user. `sub` becomes a variable. */
const registeredClaims: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']);

/** The claims that can be variables; others are dropped, and those beyond the limit, in the token's order. */
function readClaims(payload: JWTPayload): StoredVariables {
  const claims = Object.entries(payload as Record<string, unknown>)
    .filter(([name]) => !registeredClaims.has(name))
    .map(([name, value]) => [storable(`verified.${name}`), storable(value)] as const)
    .filter(([name, value]) => fits(name, variableLimits.nameCharacters) && isPlain(value))
    .filter(([, value]) => fits(String(value), variableLimits.valueCharacters))
    .slice(0, tokenLimits.claims);
  return {
    ...Object.fromEntries<unknown>(claims as [string, unknown][]),
    'verified.sub': readSubject(payload),
  };
}

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

const fits = (text: unknown, characters: number) =>
  typeof text === 'string' && countCharacters(text) <= characters;
