import type { z } from 'zod';

/** Reads a JSON text from outside. Returns undefined if it is not JSON, or does not match the schema. */
export function readJson<Value>(text: string, schema: z.ZodType<Value>): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
