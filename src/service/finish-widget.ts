import { createHash } from 'node:crypto';
import { glob, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { precompress } from './lib/precompress.ts';

/*
 * The last step of `npm run build:widget`: compresses the scripts, and writes `integrity.json` with the hash of each
 * (Subresource Integrity).
 */

const dist = join(import.meta.dirname, '../../dist');
const scripts = '{*,chunks/*}.js';

// A stale file would be served instead of the new one.
for await (const name of glob('{*,chunks/*}.{br,gz}', { cwd: dist })) await rm(join(dist, name));
await precompress(dist, scripts);

const files: Record<string, string> = {};
for await (const name of glob(scripts, { cwd: dist })) {
  const hash = createHash('sha384').update(await readFile(join(dist, name)));
  files[name] = `sha384-${hash.digest('base64')}`;
}
const { version } = JSON.parse(await readFile(join(dist, '../package.json'), 'utf8')) as { version: string };
await writeFile(join(dist, 'integrity.json'), `${JSON.stringify({ version, files }, undefined, 2)}\n`);
