import * as z from 'zod/mini';

/** What the first thing wrong with a value is; undefined when nothing is. */
export function firstIssue(schema: z.core.$ZodType, value: unknown): string | undefined {
  return z.safeParse(schema, value).error?.issues[0]?.message;
}
