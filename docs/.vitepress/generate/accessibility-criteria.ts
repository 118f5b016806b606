import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../../../test/accessibility.md');

/** The criteria of WCAG, one chapter lower than in their file. */
export function accessibilityCriteria(): string {
  const text = readFileSync(file, 'utf8');
  return text.slice(text.indexOf('## Perceivable')).replace(/^## /gm, '### ').trimEnd();
}
