import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/*
 * The last step of `npm run build`: writes a `.br` and a `.gz` file beside every script that the service serves, so
 * that no request compresses anything.
 */

const compressors = { '.br': promisify(brotliCompress), '.gz': promisify(gzip) };
const dist = join(import.meta.dirname, '../../dist');

for (const folder of [dist, join(dist, 'chunks')]) {
  const names = await readdir(folder);
  // A stale file would be served instead of the new script.
  await Promise.all(names.filter((name) => /\.(br|gz)$/.test(name)).map((name) => rm(join(folder, name))));
  for (const name of names.filter((name) => name.endsWith('.js'))) {
    const content = await readFile(join(folder, name));
    for (const [extension, compress] of Object.entries(compressors)) {
      await writeFile(join(folder, name + extension), await compress(content));
    }
  }
}
