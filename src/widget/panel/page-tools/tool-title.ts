import { nameInWords } from '../../../contract/name-in-words.ts';
import type { PageTool } from '../../page-tool.ts';

/** Returns a tool's title for visitors: the page's own, or the tool's name in words. */
export function toolTitle(name: string, tools: unknown): string {
  const all = Array.isArray(tools) ? (tools as (Partial<PageTool> | null)[]) : [];
  return titleOf(all.find((tool) => tool?.name === name)?.title, name);
}

/** Returns the title if it is valid, else the name in words. */
export function titleOf(title: unknown, name: string): string {
  if (typeof title === 'string' && title.trim() !== '') return title;
  return nameInWords(name);
}
