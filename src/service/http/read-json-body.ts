import type { Context } from 'hono';
import type * as z from 'zod/mini';
import { ConversationError } from '../lib/conversation-error.ts';
import { isDeeperThan, maximumDepth } from '../lib/nesting.ts';

/** A request's body schema: anything of zod that parses. */
interface Schema<Output> {
  safeParse(value: unknown): { success: true; data: Output } | { success: false; error: z.core.$ZodError };
}

/**
 * Reads and validates the body of a conversation endpoint. An empty body counts as an empty object, so that the
 * answer names the first field that is missing.
 *
 * @throws ConversationError with the text of the first thing that is wrong.
 */
export async function readJsonBody<Output>(c: Context, schema: Schema<Output>): Promise<Output> {
  const text = await c.req.text();
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues[0]?.message ?? 'the body is invalid');
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid('the body must be valid JSON', error);
  }
  if (isDeeperThan(value, maximumDepth))
    throw invalid(`the body may be nested at most ${maximumDepth} levels deep`);
  return value;
}

function invalid(message: string, cause?: unknown): ConversationError {
  return new ConversationError('invalid-request', message, { cause });
}
