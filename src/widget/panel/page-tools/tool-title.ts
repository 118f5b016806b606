import { nameInWords } from '../../../contract/name-in-words.ts';
import type { PageTool } from '../../page-tool.ts';

/** What visitors read in place of a function's name: the title that the page gives it, or its name in words. */
export function toolTitle(name: string, tools: unknown): string {
  const all = Array.isArray(tools) ? (tools as (Partial<PageTool> | null)[]) : [];
  return titleOf(all.find((tool) => tool?.name === name)?.title, name);
}

/** A title that somebody wrote, or a name as words. */
export function titleOf(title: unknown, name: string): string {
  if (typeof title === 'string' && title.trim() !== '') return title;
  return nameInWords(name);
}
