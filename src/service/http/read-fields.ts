import type { Context } from 'hono';
import { isDeeperThan, maximumDepth } from '../lib/nesting.ts';
import { Refusal } from '../lib/refusal.ts';

/**
 * Reads the JSON object of a request's body. An empty body counts as an empty object, so that the answer names every
 * field that is missing.
 *
 * @throws Refusal if it is no JSON object, or nested too deeply.
 */
export async function readBody(c: Context): Promise<Record<string, unknown>> {
  const text = await c.req.text();
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Refusal(422, { message: 'The body must be valid JSON.', errors: {} }, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(422, { message: 'The body must be a JSON object.', errors: {} });
  }
  if (isDeeperThan(value, maximumDepth)) {
    throw new Refusal(422, {
      message: `The body may be nested at most ${maximumDepth} levels deep.`,
      errors: {},
    });
  }
  return value as Record<string, unknown>;
}

/** Reads a request's query. Of a name that stands there twice the last value counts; an empty one counts as absent. */
export function readQuery(c: Context): Record<string, unknown> {
  const given = [...new URL(c.req.url).searchParams].filter(([, value]) => value !== '');
  return Object.fromEntries(given);
}
