import type { Context } from 'hono';
import { countCharacters, limits } from '../../contract/limits.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';

/**
 * Reads the `Idempotency-Key` header, if there is one.
 *
 * @throws ConversationError if it is longer than the limit of the wire.
 */
export function readIdempotencyKey(c: Context, scope: string, body: unknown): KeyedRequest | undefined {
  const key = c.req.header('Idempotency-Key')?.trim();
  if (key === undefined || key === '') return undefined;
  if (countCharacters(key) > limits.idempotencyKey.max) {
    throw new ConversationError(
      'invalid-request',
      `Idempotency-Key may have at most ${limits.idempotencyKey.max} characters`,
    );
  }
  return { key, scope, body };
}
