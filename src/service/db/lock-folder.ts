import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../operator-error.ts';

/** Another running process uses the data folder. */
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

/** SQLite's result code for a locked file. */
const sqliteBusy = 5;

/**
 * Locks a folder for this process; returns a function that unlocks it. Node has no file locks, but SQLite does: an
 * exclusive transaction on an empty file beside the folder is a lock of the operating system. It ends with the process,
 * so a crash leaves nothing to clean up.
 *
 * @throws DataFolderInUseError
 */
export function lockFolder(folder: string): () => void {
  const lockFile = new DatabaseSync(`${folder}.lock`);
  try {
    lockFile.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lockFile.close();
    const isBusy = error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
    throw isBusy ? new DataFolderInUseError(folder, error) : error;
  }
  return () => {
    lockFile.close();
  };
}
