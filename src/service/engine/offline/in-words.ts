/** Longest value that is told in words; a longer one is quoted as JSON. In UTF-16 code units. */
const shortLength = 200;

/** The name of a function or a field as words: `show_product` and `showProduct` are `Show product`. */
export function nameInWords(name: string): string {
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .split(/[\s_-]+/)
    // Abbreviations stay as they are.
    .map((word) => (/^\p{Lu}{2}/u.test(word) ? word : word.toLowerCase()))
    .join(' ')
    .trim();
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : name;
}

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
