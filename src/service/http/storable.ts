/** What `storable` makes of a value that the database cannot hold. */
export const unstorable = Symbol('unstorable');

/**
 * Makes JSON fit for PostgreSQL, whose text can hold neither null characters, which make the whole value `unstorable`,
 * nor half an emoji, which becomes the replacement character.
 */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? unstorable : value.toWellFormed();
  if (Array.isArray(value)) {
    const items = value.map(storable);
    return items.includes(unstorable) ? unstorable : items;
  }
  // A file of a form is no JSON, and is stored by other means.
  if (typeof value !== 'object' || value === null || value instanceof File) return value;
  const entries = Object.entries(value).map(([key, item]) => [storable(key), storable(item)] as const);
  return entries.some((entry) => entry.includes(unstorable)) ? unstorable : Object.fromEntries(entries);
}
