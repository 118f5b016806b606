import { createHash } from 'node:crypto';
import { glob, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/*
 * `node src/service/precompress-files.ts` ends the build of the widget, and with `docs` that of the documentation: it writes
 * a `.br` and a `.gz` file beside every file of text that the service serves, so that no request compresses anything. For
 * the widget, it also writes `integrity.json` with the hash of every script (Subresource Integrity).
 */

const compressors = { '.br': promisify(brotliCompress), '.gz': promisify(gzip) };
const dist = join(import.meta.dirname, '../../dist');
const isDocumentation = process.argv[2] === 'docs';
const scripts = '{*,chunks/*}.js';

// A stale file would be served instead of the new one.
const compressed = isDocumentation ? 'docs/**/*.{br,gz}' : '{*,chunks/*}.{br,gz}';
for await (const name of glob(compressed, { cwd: dist })) await rm(join(dist, name));
for await (const name of glob(isDocumentation ? 'docs/**/*.{html,js,css,svg,json}' : scripts, {
  cwd: dist,
})) {
  const content = await readFile(join(dist, name));
  for (const [extension, compress] of Object.entries(compressors)) {
    await writeFile(join(dist, name + extension), await compress(content));
  }
}
if (!isDocumentation) await writeIntegrity();

async function writeIntegrity(): Promise<void> {
  const files: Record<string, string> = {};
  for await (const name of glob(scripts, { cwd: dist })) {
    const hash = createHash('sha384').update(await readFile(join(dist, name)));
    files[name] = `sha384-${hash.digest('base64')}`;
  }
  const { version } = JSON.parse(await readFile(join(dist, '../package.json'), 'utf8')) as {
    version: string;
  };
  await writeFile(join(dist, 'integrity.json'), `${JSON.stringify({ version, files }, undefined, 2)}\n`);
}
