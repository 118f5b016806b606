import * as z from 'zod/mini';

/** Returns the message of the first issue of a value, or undefined if it is valid. */
export function firstIssue(schema: z.core.$ZodType, value: unknown): string | undefined {
  return z.safeParse(schema, value).error?.issues[0]?.message;
}
