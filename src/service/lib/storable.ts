import { ConversationError } from './conversation-error.ts';

/**
 * Makes a text storable. PostgreSQL's text can contain neither null characters, which are removed, nor lone surrogates,
 * which become U+FFFD.
 */
export const fitText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Like {@link fitText}, for every string and name in JSON from a model, a tool or a website. */
export function fitJson<Json>(json: Json): Json {
  return fit(json) as Json;
}

function fit(json: unknown): unknown {
  if (typeof json === 'string') return fitText(json);
  if (Array.isArray(json)) return json.map(fit);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, item]) => [fitText(name), fit(item)]));
}

/** Result of `storable` for a value that cannot be stored. */
export const unstorable = Symbol('unstorable');

/**
 * Checks JSON of a request: a null character makes the whole value `unstorable`, lone surrogates become U+FFFD. Files
 * of a form are not changed.
 */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? unstorable : value.toWellFormed();
  if (Array.isArray(value)) {
    const items = value.map(storable);
    return items.includes(unstorable) ? unstorable : items;
  }
  if (typeof value !== 'object' || value === null || value instanceof File) return value;
  const entries = Object.entries(value).map(([key, item]) => [storable(key), storable(item)] as const);
  return entries.some((entry) => entry.includes(unstorable)) ? unstorable : Object.fromEntries(entries);
}

/**
 * Like {@link storable}, for conversation endpoints, which refuse the whole request.
 *
 * @param field the name of the value in the error.
 * @throws ConversationError if it contains a null character.
 */
export function storableJson<Json>(value: Json, field: string): Json {
  const fit = storable(value);
  if (fit !== unstorable) return fit as Json;
  throw new ConversationError('invalid-request', `${field} must not contain null characters`);
}
