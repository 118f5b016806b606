import type { Context } from 'hono';
import type * as z from 'zod/mini';
import { ConversationError } from '../conversation/conversation-error.ts';

/** Deepest nesting of a body. Variables of a few levels are plenty; thousands would exhaust a validator's stack. */
const maximumDepth = 64;

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

/** Walks level by level, not by recursion: the input decides how deep it goes. */
function isDeeperThan(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let passed = 0; passed <= depth; passed++) {
    level = level.flatMap((item): unknown[] =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

function invalid(message: string, cause?: unknown): ConversationError {
  return new ConversationError('invalid-request', message, { cause });
}
