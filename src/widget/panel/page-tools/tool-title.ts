import { nameInWords } from '../../../contract/name-in-words.ts';

/** Returns a page tool's title for visitors if it is valid, else its name in words. */
export function titleOf(title: unknown, name: string): string {
  if (typeof title === 'string' && title.trim() !== '') return title;
  return nameInWords(name);
}
