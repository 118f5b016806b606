import type { MarkdownRenderer } from 'vitepress';
import { settingsTable } from './settings.ts';

/** What a page can include by a line such as `<!-- generated: settings -->`. */
export const sections: Readonly<Record<string, () => string>> = {
  settings: settingsTable,
};

/** Replaces the lines that name a generated section, in pages and in the search index. */
export function expandSections(source: string): string {
  return source.replace(/^<!-- generated: (\S+) -->$/gm, (_, name: string) => {
    const generate = sections[name];
    if (generate === undefined)
      throw new Error(
        `There is no generated section "${name}". There are ${Object.keys(sections).join(', ')}.`,
      );
    return generate();
  });
}

/** Lets Markdown files include generated sections. */
export function generateSections(md: MarkdownRenderer): void {
  md.core.ruler.before('normalize', 'generated-sections', (state) => {
    state.src = expandSections(state.src);
  });
}
