import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/**
 * Reads a setting that is a JSON list, or a file with one.
 *
 * @param noun what it lists, in the plural.
 * @throws Error whose message continues the name of the setting.
 */
export function readJsonList<Entry>(value: string, schema: z.ZodType<Entry[]>, noun: string): Entry[] {
  const parsed = schema.safeParse(parse(value.trim().startsWith('[') ? value : readText(value, noun)));
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'is wrong' };
  throw new Error(`must be a list of ${noun}: ${[...path.map(String), message].join(' ')}`);
}

function readText(file: string, noun: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`must be a list of ${noun} as JSON, or a file that holds one`, { cause });
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error('must be valid JSON', { cause });
  }
}
