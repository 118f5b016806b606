import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the version of the service, as its `package.json` names it. */
export function readVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
