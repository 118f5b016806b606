import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { createApiReport } from './api-report.ts';

const file = join(import.meta.dirname, 'api-report.md');

it('exports the names, types and sizes of the API report', () => {
  const report = createApiReport();
  if (process.env['NEW_API_REPORT']) writeFileSync(file, report);
  assert.equal(report, readFileSync(file, 'utf8'));
});
