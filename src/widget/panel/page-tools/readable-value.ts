import { nameInWords } from '../../../contract/name-in-words.ts';
import type { Texts } from '../../texts/texts.ts';

/** How deep lists and objects are written out; what is deeper shows as JSON. */
const deepest = 3;

/** A value for a visitor to read, in the visitor's language. */
export function readableValue(value: unknown, texts: Texts, language: string, depth = 0): string {
  const inner = (value: unknown): string => readableValue(value, texts, language, depth + 1);
  switch (typeof value) {
    case 'string':
      return value || '–';
    case 'boolean':
      return value ? texts.yes : texts.no;
    case 'number':
      // Without groups: it may be a number of a house or an order.
      return value.toLocaleString(language, { useGrouping: false, maximumFractionDigits: 20 });
    case 'object': {
      if (value === null) return '–';
      if (depth === deepest) return JSON.stringify(value);
      if (!Array.isArray(value))
        return Object.entries(value)
          .map(([name, each]) => `${nameInWords(name)}: ${inner(each)}`)
          .join('\n');
      const all = value.map(inner);
      return all.some((each) => each.includes('\n'))
        ? all.join('\n\n')
        : new Intl.ListFormat(language).format(all) || '–';
    }
    default:
      return '–';
  }
}
