import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../operator-error.ts';

/** Another live process works in the data folder. */
export class DataFolderInUseError extends OperatorError {
  override readonly name = 'DataFolderInUseError';
  constructor(folder: string, cause: unknown) {
    super(
      `The data folder ${folder} is in use by another process. Stop that one, set DATA_DIR to another folder, ` +
        'or set DATABASE_URL to a PostgreSQL server, which many processes can share.',
      { cause },
    );
  }
}

/** SQLite's result code for a file that someone else has locked. */
const sqliteBusy = 5;

/**
 * Locks a folder for this process; returns what lets go of it. Node has no file locks of its own, but SQLite has:
 * an exclusive transaction on an empty file beside the folder is a lock of the operating system, which dies with the
 * process, so a crash leaves nothing to clean up and no process id to guess about.
 *
 * @throws DataFolderInUseError
 */
export function lockFolder(folder: string): () => void {
  const lock = new DatabaseSync(`${folder}.lock`);
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const isBusy = error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
    throw isBusy ? new DataFolderInUseError(folder, error) : error;
  }
  return () => {
    lock.close();
  };
}
