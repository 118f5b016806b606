import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system that can be filled. */
export interface SmallDisk {
  folder: string;
  /** Fills it until `freeMegabytes` are left. */
  fill(freeMegabytes: number): Promise<void>;
  /** Frees the space again. */
  free(): Promise<void>;
  unmount(): Promise<void>;
}

/** Mounts a small file system; returns undefined if this process lacks the permission. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    await rm(folder, { recursive: true });
    return undefined;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    async fill(freeMegabytes) {
      const { bavail, bsize } = await statfs(folder);
      const bytes = bavail * bsize - freeMegabytes * 1024 * 1024;
      await writeFile(ballast, Buffer.alloc(Math.max(0, bytes)));
    },
    free: () => rm(ballast, { force: true }),
    async unmount() {
      // Lazily, since a failed instance has open files.
      execFileSync('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true });
    },
  };
}
