import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/*
 * The last step of `npm run build`: writes a `.br` and a `.gz` file beside every script that the service serves, so
 * that no request compresses anything, and `integrity.json` with the hash of every script (Subresource Integrity).
 */

const compressors = { '.br': promisify(brotliCompress), '.gz': promisify(gzip) };
const dist = join(import.meta.dirname, '../../dist');

const files: Record<string, string> = {};
for (const prefix of ['', 'chunks/']) {
  const folder = join(dist, prefix);
  const names = await readdir(folder);
  // A stale file would be served instead of the new script.
  await Promise.all(names.filter((name) => /\.(br|gz)$/.test(name)).map((name) => rm(join(folder, name))));
  for (const name of names.filter((name) => name.endsWith('.js'))) {
    const content = await readFile(join(folder, name));
    files[prefix + name] = `sha384-${createHash('sha384').update(content).digest('base64')}`;
    for (const [extension, compress] of Object.entries(compressors)) {
      await writeFile(join(folder, name + extension), await compress(content));
    }
  }
}
const { version } = JSON.parse(await readFile(join(dist, '../package.json'), 'utf8')) as { version: string };
await writeFile(join(dist, 'integrity.json'), `${JSON.stringify({ version, files }, undefined, 2)}\n`);
