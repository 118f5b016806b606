import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const compressors = { '.br': promisify(brotliCompress), '.gz': promisify(gzip) };

/** Writes a `.br` and a `.gz` file beside the files of a folder that match a pattern, so that no request compresses anything. */
export async function precompress(folder: string, pattern: string): Promise<void> {
  for await (const name of glob(pattern, { cwd: folder })) {
    const content = await readFile(join(folder, name));
    for (const [extension, compress] of Object.entries(compressors))
      await writeFile(join(folder, name + extension), await compress(content));
  }
}
