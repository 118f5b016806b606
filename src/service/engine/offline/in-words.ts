import { nameInWords } from '../../../contract/name-in-words.ts';

/** Longest value that is told in words; a longer one is quoted as JSON. In UTF-16 code units. */
const shortLength = 200;

/** What a function returned, in words where it is short and flat, else as JSON. */
export function valueInWords(value: unknown): string {
  const words = flatInWords(value);
  return words !== undefined && words.length <= shortLength ? words : JSON.stringify(value ?? null);
}

function flatInWords(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return plain(value);
  const all = Array.isArray(value)
    ? value.map(plain)
    : Object.entries(value).map(([name, each]) => {
        const words = plain(each);
        return words === undefined ? undefined : `${nameInWords(name)}: ${words}`;
      });
  return all.length === 0 || all.includes(undefined) ? undefined : all.join(', ');
}

function plain(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
