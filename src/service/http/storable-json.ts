import { ConversationError } from '../conversation/conversation-error.ts';

/**
 * Makes JSON of a request fit for PostgreSQL, whose text can hold neither null characters, which are refused, nor half
 * an emoji, which becomes the replacement character.
 *
 * @param field what the JSON is called in the error.
 * @throws ConversationError
 */
export function storableJson<Json>(value: Json, field: string): Json {
  return mapText(value, field) as Json;
}

function mapText(value: unknown, field: string): unknown {
  if (typeof value === 'string') return storableText(value, field);
  if (Array.isArray(value)) return value.map((item) => mapText(item, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key, field), mapText(item, field)]),
  );
}

function storableText(text: string, field: string): string {
  if (text.includes('\0')) {
    throw new ConversationError('invalid-request', `${field} must not contain null characters`);
  }
  return text.toWellFormed();
}
