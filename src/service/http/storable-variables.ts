import { ConversationError } from '../conversation/conversation-error.ts';
import type { StoredVariables } from '../db/schema.ts';

/**
 * Makes variables fit for PostgreSQL, whose text can hold neither null characters, which are refused, nor half an
 * emoji, which becomes the replacement character.
 *
 * @throws ConversationError
 */
export function storableVariables(variables: StoredVariables): StoredVariables {
  return mapText(variables) as StoredVariables;
}

function mapText(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(mapText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), mapText(item)]));
}

function storableText(text: string): string {
  if (text.includes('\0')) {
    throw new ConversationError('invalid-request', 'variables must not contain null characters');
  }
  return text.toWellFormed();
}
