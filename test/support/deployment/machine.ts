import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../eventually.ts';
import { startChildProcess } from '../process/child-process.ts';
import { installDebian } from './install-debian.ts';

const run = promisify(execFile);

/** A Debian system that systemd has booted, in namespaces of its own. It shares the network of this machine. */
export interface Machine {
  /** The folder with its files. */
  root: string;
  /** Runs a shell script as root in it; returns the standard output. */
  run(script: string): Promise<string>;
  stop(): Promise<void>;
}

/** Mounts what a system needs into `$root`, and boots it. `$cgroup` is a group of its own in the unified hierarchy. */
const bootScript = `set -e
mkdir -p "$cgroup"
echo $$ > "$cgroup/cgroup.procs"
exec unshare --mount --pid --fork --kill-child --cgroup --uts --ipc sh -ec '
  mount --make-rprivate /
  mount -t overlay -o "lowerdir=$lower,upperdir=$upper,workdir=$work" none "$root"
  cd "$root"
  mkdir -p .host
  mount -t proc none proc
  mount -t sysfs none sys
  mount -t tmpfs none sys/fs/cgroup
  mount -t cgroup2 none sys/fs/cgroup
  mount -t tmpfs none run
  mount -t tmpfs none tmp
  mount -t tmpfs none dev
  mkdir dev/pts dev/shm
  mount -t devpts -o newinstance,ptmxmode=666 none dev/pts
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  for name in null zero random urandom full tty; do
    touch dev/$name
    mount --bind /dev/$name dev/$name
  done
  pivot_root . .host
  umount -l /.host
  exec env -i container=test /lib/systemd/systemd
'`;

/**
 * Boots a new machine.
 *
 * @param cacheFolder keeps Debian for the next start
 * @throws Error if this is not root, or a program is missing
 */
export async function bootMachine(cacheFolder: string): Promise<Machine> {
  if (process.getuid?.() !== 0) throw new Error('Run this suite as root: it boots a system.');
  if (spawnSync('which', ['mmdebstrap']).status !== 0)
    throw new Error('Install the Debian package mmdebstrap first.');
  const lower = join(cacheFolder, 'debian');
  await installDebian(lower, 'bookworm', [
    'systemd',
    'systemd-sysv',
    'dbus',
    'sudo',
    'openssl',
    'libatomic1',
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'machine-'));
  const [root, upper, work] = ['root', 'upper', 'work'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [root, upper, work]) await mkdir(path);
  const cgroup = join(await unifiedHierarchy(), `machine-${String(process.pid)}`);
  const child = startChildProcess('sh', ['-c', bootScript], { env: { lower, upper, work, root, cgroup } });
  /** The outer process of the namespaces is the parent of systemd. */
  const systemd = await eventually(
    () => `systemd to start: ${child.output()}`,
    async () => {
      const [pid] = await childrenOf(child.pid);
      return pid !== undefined && (await readFile(`/proc/${pid}/comm`, 'utf8')) === 'systemd\n' && pid;
    },
  );
  const machine: Machine = {
    root: `/proc/${systemd}/root`,
    run: async (script) => {
      const entered = [
        '--target',
        systemd,
        '--mount',
        '--pid',
        '--uts',
        '--ipc',
        '--cgroup',
        '--root',
        '--wd=/',
      ];
      const { stdout } = await run('nsenter', [...entered, 'sh', '-ec', script], { env: {} });
      return stdout;
    },
    stop: async () => {
      await child.stop();
      await eventually('its processes to have ended', () =>
        run('find', [cgroup, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+']).then(
          () => true,
          () => false,
        ),
      );
      await rm(folder, { recursive: true, force: true });
    },
  };
  await eventually('systemd to have booted', async () => {
    // It is "degraded" if a unit has failed, as those for hardware do in namespaces.
    const state = await machine.run('systemctl is-system-running || true').catch(() => '');
    return ['running\n', 'degraded\n'].includes(state);
  });
  return machine;
}

async function unifiedHierarchy(): Promise<string> {
  const mounts = await readFile('/proc/mounts', 'utf8');
  const [, path] = /^\S+ (\S+) cgroup2 /m.exec(mounts) ?? [];
  if (path === undefined) throw new Error('The unified hierarchy of control groups is not mounted.');
  return path;
}

async function childrenOf(pid: number): Promise<string[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return children.split(' ').filter((child) => child !== '');
}
