import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../support/repository.ts';

/*
 * Carries out a Dockerfile without Docker: each stage is a folder that its commands see as `/` (chroot), together with
 * the system's programs, which are read-only. The base image is this machine with the Node that runs the tests.
 */

/** The last stage of a Dockerfile. */
export interface BuiltImage {
  /** The folder with its files. */
  root: string;
  /** Its ENV. */
  env: Record<string, string>;
  workingDirectory: string;
  user: string;
  entrypoint: string[];
  command: string[];
  healthCheck: string[];
  volumes: string[];
}

const system = ['usr', 'etc', 'dev', 'proc'];
const links = ['bin', 'sbin', 'lib', 'lib64'];

/** Reads the instructions of a Dockerfile; a backslash at the end of a line continues it. */
async function readInstructions(path: string): Promise<[name: string, rest: string][]> {
  const text = (await readFile(path, 'utf8')).replace(/\\\n/g, ' ');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
      return [name, rest];
    });
}

/** Builds the repository's Dockerfile in `folder`. */
export async function buildImage(folder: string): Promise<BuiltImage> {
  const stages = new Map<string, BuiltImage>();
  let image = await emptyImage(join(folder, 'none'));
  for (const [name, rest] of await readInstructions(join(repository, 'Dockerfile'))) {
    if (name === 'FROM') {
      const stage = / AS (\w+)/.exec(rest)?.[1] ?? `stage-${stages.size}`;
      image = await emptyImage(join(folder, stage));
      stages.set(stage, image);
    } else if (name === 'WORKDIR') {
      image.workingDirectory = rest;
      await mkdir(join(image.root, rest), { recursive: true });
    } else if (name === 'COPY') await copy(image, rest, stages);
    else if (name === 'RUN') await runInImage(image, rest);
    else if (name === 'ENV')
      Object.assign(image.env, Object.fromEntries(rest.split(' ').map((pair) => pair.split('='))));
    else if (name === 'USER') image.user = rest;
    else if (name === 'VOLUME') image.volumes.push(rest);
    else if (name === 'ENTRYPOINT') image.entrypoint = JSON.parse(rest) as string[];
    else if (name === 'CMD') image.command = JSON.parse(rest) as string[];
    else if (name === 'HEALTHCHECK')
      image.healthCheck = JSON.parse(rest.replace(/^.*? CMD /, '')) as string[];
    else if (name !== 'EXPOSE') throw new Error(`Unknown instruction ${name} in the Dockerfile.`);
  }
  return image;
}

async function emptyImage(root: string): Promise<BuiltImage> {
  for (const name of [...system, 'tmp', 'node', 'root']) await mkdir(join(root, name), { recursive: true });
  return {
    ...{ root, env: {}, workingDirectory: '/', user: '0:0' },
    ...{ entrypoint: [], command: [], healthCheck: [], volumes: [] },
  };
}

async function copy(image: BuiltImage, rest: string, stages: Map<string, BuiltImage>): Promise<void> {
  const [, stage] = /^--from=(\w+) /.exec(rest) ?? [];
  const words = rest.split(' ').filter((word) => !word.startsWith('--'));
  const target = join(image.root, image.workingDirectory, words.at(-1) ?? '');
  const absolute = (words.at(-1) ?? '').startsWith('/') ? join(image.root, words.at(-1) ?? '') : target;
  for (const source of words.slice(0, -1)) {
    const from = stage === undefined ? join(repository, source) : join(stages.get(stage)?.root ?? '', source);
    const isFolder = stage !== undefined || source === '.';
    const to = isFolder ? absolute : join(absolute, basename(source));
    await mkdir(dirname(to), { recursive: true });
    const filter = stage === undefined ? await ignoreFilter() : () => true;
    await cp(from, to, { recursive: true, filter, verbatimSymlinks: true });
  }
}

/** Leaves out what .dockerignore lists. */
async function ignoreFilter(): Promise<(path: string) => boolean> {
  const patterns = (await readFile(join(repository, '.dockerignore'), 'utf8')).trim().split('\n');
  const names = patterns.map((pattern) => pattern.replace('**/', ''));
  return (path) =>
    !names.some((name) =>
      name.startsWith('*') ? path.endsWith(name.slice(1)) : basename(path) === name && path !== repository,
    );
}

/** The shell script that enters an image; `$@` is the command. */
function enterScript({ root, volumes }: BuiltImage, isReadOnly: boolean): string {
  const mount = (from: string, to: string, readOnly: boolean) =>
    `mount --rbind ${from} ${root}/${to}${readOnly ? ` && mount -o remount,ro,bind ${root}/${to}` : ''}`;
  return [
    'set -e',
    'mount --make-rprivate /',
    ...(isReadOnly
      ? [
          `mount --bind ${root} ${root}`,
          `mount -o remount,ro,bind ${root}`,
          ...volumes.map((path) => `mount -t tmpfs -o mode=777 none ${root}${path}`),
          `mount -t tmpfs none ${root}/tmp`,
        ]
      : [mount('/root', 'root', false), mount('/etc', 'etc', true)]),
    ...['usr', ...(isReadOnly ? ['etc'] : [])].map((name) => mount(`/${name}`, name, true)),
    mount('/dev', 'dev', false),
    mount('/proc', 'proc', false),
    mount(dirname(process.execPath), 'node', true),
    `exec chroot ${root} /usr/bin/env -i "$@"`,
  ].join('\n');
}

const pathInImage = '/node:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Variables of the machine that npm needs to reach its registry. */
const machine = Object.entries(process.env).filter(([name]) =>
  /proxy|^npm_config_(registry|.*ca)|CA_CERTS|CERT/i.test(name),
);

/** The command that runs `words` in an image, and the arguments for it. */
export async function enterImage(
  image: BuiltImage,
  words: readonly string[],
  { isReadOnly, env = {} }: { isReadOnly: boolean; env?: Record<string, string> },
): Promise<{ command: string; args: string[] }> {
  for (const link of links) {
    const exists = (await readdir(image.root)).includes(link);
    if (!exists) await promisify(execFile)('cp', ['-a', `/${link}`, join(image.root, link)]);
  }
  const script = join(dirname(image.root), `enter-${basename(image.root)}-${String(isReadOnly)}.sh`);
  await writeFile(script, enterScript(image, isReadOnly));
  const [uid = '0', gid = '0'] = image.user.split(':');
  const variables = { PATH: pathInImage, HOME: isReadOnly ? '/tmp' : '/root', ...image.env, ...env };
  const isRoot = uid === '0';
  return {
    command: 'unshare',
    args: [
      ...['--mount', 'sh', script],
      ...(isReadOnly ? [] : machine.map(([name, value]) => `${name}=${value ?? ''}`)),
      ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
      ...(isRoot ? [] : ['setpriv', '--reuid', uid, '--regid', gid, '--clear-groups', '--no-new-privs']),
      ...['sh', '-c', 'cd "$0" && exec "$@"', image.workingDirectory],
      ...words,
    ],
  };
}

async function runInImage(image: BuiltImage, commands: string): Promise<void> {
  const { command, args } = await enterImage(image, ['sh', '-ec', commands], { isReadOnly: false });
  await promisify(execFile)(command, args, { maxBuffer: 64 * 1024 * 1024 });
}
