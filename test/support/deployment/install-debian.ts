import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** Installs a minimal Debian with packages into a folder. Does nothing if the folder exists. */
export async function installDebian(
  folder: string,
  release: 'bookworm' | 'sid',
  packages: readonly string[],
): Promise<void> {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.${String(process.pid)}`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  await promisify(execFile)(
    'mmdebstrap',
    [
      ...['--variant=minbase', '--mode=root', `--include=${packages.join(',')}`],
      // The clock of a machine for tests may be ahead of the mirror. Signatures are checked all the same.
      ...['--aptopt=Acquire::Check-Valid-Until "false"', release, unfinished],
    ],
    { maxBuffer: 100_000_000 },
  );
  await rename(unfinished, folder);
}
