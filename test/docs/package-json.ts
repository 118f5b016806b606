import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/repository.ts';

/** The fields of the widget's package.json that the tests need. */
export const packageJson = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
  engines: { node: string };
  scripts: Record<string, string>;
  exports: Record<string, string | Record<string, string>>;
  sideEffects: string[];
};
