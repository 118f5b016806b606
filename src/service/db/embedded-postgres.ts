import { closeSync, fsyncSync, openSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { vector } from '@electric-sql/pglite-pgvector';
import type { Logger } from 'pino';
import { OperatorError } from '../operator-error.ts';

/** Free bytes below which a failed PGlite is not opened again: recovery writes at least one WAL segment of 16 MB. */
const recoveryBytes = 24 * 1024 * 1024;

/** The embedded database has failed, and the disk has no room to recover it. */
export class DiskFullError extends OperatorError {
  override readonly name = 'DiskFullError';
  /** PostgreSQL's code for it (`disk_full`). */
  readonly code = '53100';
  constructor(folder: string) {
    super(`The disk that holds ${folder} is full. The database recovers by itself once there is space.`);
  }
}

/** The folder of the embedded database is incomplete, or its user or file system allows no access. */
export class DatabaseNotOpenedError extends OperatorError {
  override readonly name = 'DatabaseNotOpenedError';
  constructor(folder: string, cause: unknown) {
    super(
      `The embedded database in ${folder} cannot be opened (${reasonOf(cause)}). It must be complete, and belong to the ` +
        'user who runs the service.',
      { cause },
    );
  }
}

/** Emscripten's numbers of the errors that an operator can resolve; they differ from those of the system. */
const emscriptenCodes: Readonly<Record<number, string>> = {
  2: 'EACCES',
  44: 'ENOENT',
  51: 'ENOSPC',
  54: 'ENOTDIR',
  63: 'EPERM',
  69: 'EROFS',
};

/** Describes an error of PGlite. Those of Emscripten's file system are objects with a number. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message.replace(/\. Build with .*/, '');
  const { errno } = (error ?? {}) as { errno?: unknown };
  return typeof errno === 'number' ? (emscriptenCodes[errno] ?? `error ${errno}`) : String(error);
}

/** Receives the notifications of one channel. The session of a dropped instance is lost, and its LISTEN with it. */
export interface EmbeddedListener {
  channel: string;
  /** Called when the instance was dropped: nothing is received until `onListening`. */
  onLost(): void;
  /** Called when a new instance listens to the channel. */
  onListening(): void;
}

/**
 * PGlite on a folder. After a PANIC, such as a full disk that prevents WAL writes, an instance still holds its locks,
 * and the next query would block the process forever. So it is dropped, and a new one recovers from the WAL.
 */
export class EmbeddedPostgres {
  readonly listeners = new Set<EmbeddedListener>();
  readonly #folder: string;
  readonly #isSynced: boolean;
  readonly #log: Logger;
  #opening: Promise<PGlite> | undefined;

  /** @param isSynced whether commits wait for the disk. */
  constructor(folder: string, isSynced: boolean, log: Logger) {
    this.#folder = folder;
    this.#isSynced = isSynced;
    this.#log = log;
  }

  /**
   * Returns the running instance, or opens one.
   *
   * @throws DiskFullError, DatabaseNotOpenedError
   */
  async instance(): Promise<PGlite> {
    this.#opening ??= this.#open();
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      if (error instanceof OperatorError) throw error;
      if (reasonOf(error) === 'ENOSPC') throw new DiskFullError(this.#folder);
      throw new DatabaseNotOpenedError(this.#folder, error);
    }
  }

  /** Drops an instance that has reported a PANIC. */
  drop(reason: string): void {
    this.#opening = undefined;
    for (const listener of this.listeners) listener.onLost();
    this.#log.error({ reason }, 'the embedded database failed and will be recovered');
  }

  async close(): Promise<void> {
    const pglite = await this.#opening;
    await pglite?.close();
  }

  async #open(): Promise<PGlite> {
    const { bavail, bsize } = await statfs(this.#folder);
    if (bavail * bsize < recoveryBytes) throw new DiskFullError(this.#folder);
    const pglite = await PGlite.create({
      fs: this.#isSynced ? new SyncedFs(this.#folder) : new NodeFS(this.#folder),
      extensions: { vector },
      startParams: [
        // `-F` turns fsync off.
        ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F' || !this.#isSynced),
        // The default, fdatasync, does nothing in Emscripten.
        ...['-c', 'wal_sync_method=fsync'],
        // The default of 128 MB is written at every start, which takes longer than the rest of it.
        ...['-c', 'shared_buffers=32MB'],
        // See `limitWal`. The default of 1 GB could fill a small disk, and is replayed after a crash.
        ...['-c', 'max_wal_size=64MB'],
      ],
    });
    for (const listener of this.listeners) {
      await pglite.exec(`LISTEN "${listener.channel}"`);
      listener.onListening();
    }
    return pglite;
  }
}

/** The part of Emscripten's module that `SyncedFs` uses. */
interface EmscriptenModule {
  FS: {
    filesystems: {
      NODEFS: {
        stream_ops: { fsync?: (stream: { nfd?: number; node: unknown }) => number };
        realPath(node: unknown): string;
      };
    };
  };
}

/** PGlite's folder on disk, with the fsync that Emscripten's file system lacks. */
class SyncedFs extends NodeFS {
  override async init(...[pglite, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options);
    const addFsync = (module: unknown) => {
      const { NODEFS } = (module as EmscriptenModule).FS.filesystems;
      NODEFS.stream_ops.fsync = ({ nfd, node }) => {
        // Folders have no open file descriptor.
        const file = nfd ?? openSync(NODEFS.realPath(node), 'r');
        fsyncSync(file);
        if (nfd === undefined) closeSync(file);
        return 0;
      };
    };
    const preRun = [emscriptenOpts.preRun ?? []].flat();
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, addFsync] } };
  }
}
