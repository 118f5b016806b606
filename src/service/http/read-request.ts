import type { Context } from 'hono';
import type * as z from 'zod/mini';
import { countCharacters, requestLimits } from '../../contract/limits.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { isDeeperThan, maxDepth } from '../lib/json-depth.ts';
import { Refusal } from '../lib/refusal.ts';

/**
 * Reads the JSON object of a request to an endpoint that requires a key. An empty body counts as an empty object, so
 * that the answer lists every missing field.
 *
 * @throws Refusal if the body is not a JSON object, or nested too deeply.
 */
export async function readBody(c: Context): Promise<Record<string, unknown>> {
  const value = parseJson(await c.req.text(), (message, cause) => {
    return new Refusal(422, { message: sentence(message), errors: {} }, { cause });
  });
  // PHP encodes an empty object as an empty array.
  if (Array.isArray(value) && value.length === 0) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(422, { message: 'The body must be a JSON object.', errors: {} });
  }
  return value as Record<string, unknown>;
}

/** Reads a request's query. The last value of a repeated name wins; empty values count as absent. */
export function readQuery(c: Context): Record<string, unknown> {
  const given = [...new URL(c.req.url).searchParams].filter(([, value]) => value !== '');
  return Object.fromEntries(given);
}

/** A schema of zod or zod/mini. */
interface Schema<Output> {
  safeParse(value: unknown): { success: true; data: Output } | { success: false; error: z.core.$ZodError };
}

/**
 * Reads and validates the body of a conversation endpoint. An empty body counts as an empty object, so that the answer
 * names the first missing field.
 *
 * @throws ConversationError with the first error.
 */
export async function readJsonBody<Output>(c: Context, schema: Schema<Output>): Promise<Output> {
  const invalid = (message: string, cause?: unknown) =>
    new ConversationError('invalid-request', message, { cause });
  const parsed = schema.safeParse(parseJson(await c.req.text(), invalid));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = String(issue?.path[0] ?? 'message');
  throw new ConversationError('invalid-request', issue?.message ?? 'the body is invalid', { field });
}

/**
 * Reads the `Idempotency-Key` header, if there is one.
 *
 * @throws ConversationError if it is longer than the limit of the wire.
 */
export function readIdempotencyKey(c: Context, scope: string, body: unknown): KeyedRequest | undefined {
  const key = c.req.header('Idempotency-Key')?.trim();
  if (key === undefined || key === '') return undefined;
  if (countCharacters(key) > requestLimits.idempotencyKey.max) {
    throw new ConversationError(
      'invalid-request',
      `Idempotency-Key may have at most ${requestLimits.idempotencyKey.max} characters`,
    );
  }
  return { key, scope, body };
}

function parseJson(text: string, invalid: (message: string, cause?: unknown) => Error): unknown {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid('the body must be valid JSON', cause);
  }
  if (isDeeperThan(value, maxDepth)) {
    throw invalid(`the body may be nested at most ${maxDepth} levels deep`);
  }
  return value;
}

const sentence = (message: string) => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
