import { nameInWords } from '../../../contract/name-in-words.ts';
import type { Texts } from '../../texts/texts.ts';

/** The depth up to which lists and objects are formatted; deeper ones are shown as JSON. */
const maxDepth = 3;

/** Formats a value for visitors, in their language. */
export function readableValue(value: unknown, texts: Texts, language: string, depth = 0): string {
  const inner = (value: unknown): string => readableValue(value, texts, language, depth + 1);
  switch (typeof value) {
    case 'string':
      return value || '–';
    case 'boolean':
      return value ? texts.yes : texts.no;
    case 'number':
      // Without grouping: it may be a house number or an order number.
      return value.toLocaleString(language, { useGrouping: false, maximumFractionDigits: 20 });
    case 'object': {
      if (value === null) return '–';
      if (depth === maxDepth) return JSON.stringify(value);
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
