import { nameInWords } from '../../../contract/name-in-words.ts';

/** Longest formatted value, in UTF-16 code units; longer ones are quoted as JSON. */
const wordsLimit = 200;

/** Formats a function's result: in words if it is short and flat, otherwise as JSON. */
export function formatValue(value: unknown): string {
  const words = formatFlat(value);
  return words !== undefined && words.length <= wordsLimit ? words : JSON.stringify(value ?? null);
}

function formatFlat(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return formatScalar(value);
  const parts = Array.isArray(value)
    ? value.map(formatScalar)
    : Object.entries(value).map(([name, each]) => {
        const words = formatScalar(each);
        return words === undefined ? undefined : `${nameInWords(name)}: ${words}`;
      });
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(', ');
}

function formatScalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
