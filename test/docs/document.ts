import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expandSections } from '../../docs/.vitepress/generate/sections.ts';
import { repository } from '../support/repository.ts';

/** The paths of the project's documents, relative to the repository's folder. */
export const documents: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'test/accessibility.md',
  ...globSync('docs/**/*.md', { cwd: repository }).sort(),
];

/** A Markdown document, parsed as far as the tests need. */
export class Document {
  /** The file as it is. */
  readonly source: string;
  /** The file with its generated sections. */
  readonly text: string;

  constructor(path: string) {
    this.source = readFileSync(join(repository, path), 'utf8');
    this.text = expandSections(this.source);
  }

  /** The text between a heading of any level and the next one. */
  section(heading: string): string {
    const [, found] = this.text.split(new RegExp(`^#+ ${heading}$`, 'm'));
    if (found === undefined) throw new Error(`There is no section "${heading}".`);
    return withoutCode(found).split(/^#+ /m)[0] ?? '';
  }

  /** The cells of each row in a section's tables, without the header rows. */
  rows(heading: string): string[][] {
    const lines = this.section(heading).split('\n');
    const isRow = (line: string | undefined) => line?.startsWith('|') ?? false;
    return lines
      .filter((line, index) => isRow(line) && isRow(lines[index - 1]) && !/^\|[-|]+\|$/.test(line))
      .map((line) => line.slice(1, -1).split('|'));
  }

  /** The URL fragments of the document's headings. */
  get anchors(): string[] {
    const headings = withoutCode(this.text).matchAll(/^#+ (.+)$/gm);
    return Array.from(headings, ([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );
  }

  /** The targets of the document's links. */
  get links(): string[] {
    return Array.from(withoutCode(this.text).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
  }
}

/** Returns the code spans of a Markdown text, such as the name in a table's first cell. */
export function codeIn(markdown = ''): string[] {
  return Array.from(withoutCode(markdown).matchAll(/`([^`]+)`/g), ([, code = '']) => code);
}

/** Whether a text contains a number, and not only as part of a longer one. */
export function states(text: string, number: number): boolean {
  return new RegExp(`(?<![\\d.,])${number.toLocaleString('en')}(?![.,]?\\d)`).test(text);
}

/** Removes fenced code, which has no headings, links or code spans. */
function withoutCode(markdown: string): string {
  return markdown.replace(/^```[^]*?^```$/gm, '');
}
