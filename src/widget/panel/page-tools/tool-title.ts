import type { PageTool } from '../../page-tool.ts';

/** What visitors read in place of a function's name: the title that the page gives it, or its name in words. */
export function toolTitle(name: string, tools: unknown): string {
  const all = Array.isArray(tools) ? (tools as (Partial<PageTool> | null)[]) : [];
  return titleOf(all.find((tool) => tool?.name === name)?.title, name);
}

/** A title that somebody wrote, or a name as words: `add_to_cart` and `addToCart` are `Add to cart`. */
export function titleOf(title: unknown, name: string): string {
  if (typeof title === 'string' && title.trim() !== '') return title;
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .split(/[\s_-]+/)
    // Abbreviations stay as they are.
    .map((word) => (/^\p{Lu}{2}/u.test(word) ? word : word.toLowerCase()))
    .join(' ')
    .trim();
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : name;
}
