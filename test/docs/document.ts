import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/repository.ts';

/** The project's documents, as paths from the repository's folder. */
export const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'test/accessibility.md'] as const;

/** A Markdown document, as far as its checks need it read. */
export class Document {
  readonly text: string;

  constructor(path: string) {
    this.text = readFileSync(join(repository, path), 'utf8');
  }

  /** What stands below a heading of any level, up to the next one. */
  section(heading: string): string {
    const [, found] = this.text.split(new RegExp(`^#+ ${heading}$`, 'm'));
    if (found === undefined) throw new Error(`There is no section "${heading}".`);
    return withoutCode(found).split(/^#+ /m)[0] ?? '';
  }

  /** The rows of a section's tables, cell by cell, without their heads. */
  rows(heading: string): string[][] {
    const lines = this.section(heading).split('\n');
    const isRow = (line: string | undefined) => line?.startsWith('|') ?? false;
    return lines
      .filter((line, index) => isRow(line) && isRow(lines[index - 1]) && !/^\|[-|]+\|$/.test(line))
      .map((line) => line.slice(1, -1).split('|'));
  }

  /** The fragments by which the document's headings are linked to. */
  get anchors(): string[] {
    const headings = withoutCode(this.text).matchAll(/^#+ (.+)$/gm);
    return Array.from(headings, ([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );
  }

  /** What the document's links lead to. */
  get links(): string[] {
    return Array.from(withoutCode(this.text).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
  }
}

/** The code spans of a piece of Markdown, such as the name in a table's first cell. */
export function codeIn(markdown = ''): string[] {
  return Array.from(withoutCode(markdown).matchAll(/`([^`]+)`/g), ([, code = '']) => code);
}

/** Whether a text states a number, and not only as a part of a longer one. */
export function states(text: string, number: number): boolean {
  return new RegExp(`(?<![\\d.,])${number.toLocaleString('en')}(?![.,]?\\d)`).test(text);
}

/** Leaves fenced code out: it has no headings, links or code spans. */
function withoutCode(markdown: string): string {
  return markdown.replace(/^```[^]*?^```$/gm, '');
}
