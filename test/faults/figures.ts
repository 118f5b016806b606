import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/repository.ts';

const file = join(repository, 'docs/faults.md');

/** Prints figures. With `NEW_FIGURES=1`, also replaces the table of their section in `docs/faults.md`. */
export function reportFigures(section: string, figures: Record<string, string | number>): void {
  const rows = Object.entries(figures).map(([name, figure]) => `| ${name} | ${figure} |`);
  console.log(`${section}\n${rows.join('\n')}`);
  if (process.env['NEW_FIGURES'] !== '1') return;
  const text = readFileSync(file, 'utf8');
  const heading = `## ${section}\n`;
  const start = text.indexOf('\n|---|---|\n', text.indexOf(heading));
  if (!text.includes(heading) || start < 0) throw new Error(`docs/faults.md has no table "${section}".`);
  const rowsStart = start + '\n|---|---|\n'.length;
  const rowsEnd = text.indexOf('\n\n', rowsStart);
  const end = rowsEnd < 0 ? text.length - 1 : rowsEnd;
  writeFileSync(file, `${text.slice(0, rowsStart)}${rows.join('\n')}${text.slice(end)}`);
}
