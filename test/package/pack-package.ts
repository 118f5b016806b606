import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../support/repository.ts';

export interface Tarball {
  path: string;
  /** Paths in the package, with `/`. */
  files: string[];
  /** The unpacked package. */
  folder: string;
  remove(): Promise<void>;
}

const run = promisify(execFile);

/** Packs the built package with npm, in a copy, because packing changes package.json for a moment. */
export async function packPackage(): Promise<Tarball> {
  const temporary = await realpath(await mkdtemp(join(tmpdir(), 'tarball-')));
  const copy = join(temporary, 'repository');
  for (const path of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'src/package', 'dist'])
    await cp(join(repository, path), join(copy, path), { recursive: true });
  const before = await readFile(join(copy, 'package.json'), 'utf8');
  // The scripts of the package need this version of Node.
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
  };
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', temporary], {
    cwd: copy,
    env,
  });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as {
    filename: string;
    files: { path: string }[];
  }[];
  if (!packed) throw new Error(`npm packed nothing: ${stdout}`);
  const path = join(temporary, packed.filename);
  await run('tar', ['-xzf', path, '-C', temporary]);
  if ((await readFile(join(copy, 'package.json'), 'utf8')) !== before)
    throw new Error('package.json was not restored after packing.');
  return {
    path,
    files: packed.files.map((file) => file.path),
    folder: join(temporary, 'package'),
    remove: () => rm(temporary, { recursive: true, force: true }),
  };
}
