import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { installJobs } from './jobs/boss.ts';
import type { Database } from './db/database.ts';
import { isReadOnly } from './db/is-read-only.ts';
import { migrate } from './db/migrate.ts';
import { openPglite } from './db/open-pglite.ts';
import { DatabaseLocaleError, DatabaseReadOnlyError, openPostgres } from './db/open-postgres.ts';
import { SecretBox } from './db/secrets/secret-box.ts';
import { supportsUnicode } from './db/supports-unicode.ts';

const embeddedFolder = ({ dataDir }: Config) => join(dataDir, 'database');

/** Whether the settings name an embedded database that was never created. */
export async function isDatabaseMissing(config: Config): Promise<boolean> {
  if (config.databaseUrl !== undefined) return false;
  // Other errors, such as EACCES, are explained when it is opened.
  return stat(join(embeddedFolder(config), 'PG_VERSION')).then(
    () => false,
    (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
  );
}

/**
 * Opens the database that the settings name and brings its tables up to date: PostgreSQL at `databaseUrl`, else
 * PGlite in the data folder.
 *
 * @throws DataFolderInUseError if another process works in the data folder; DatabaseNotOpenedError; DiskFullError;
 *   DatabaseUnreachableError; DatabaseReadOnlyError; DatabaseLocaleError
 */
export async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const connection =
    config.databaseUrl === undefined
      ? await openPglite(embeddedFolder(config), { fsync: config.fsync, log })
      : await openPostgres(config.databaseUrl, {
          poolSize: config.databasePoolSize,
          directUrl: config.databaseDirectUrl,
          log,
        });
  try {
    if (connection.kind === 'postgres') {
      if (await isReadOnly(connection.pool)) throw new DatabaseReadOnlyError();
      if (!(await supportsUnicode(connection.pool))) throw new DatabaseLocaleError();
    }
    await migrate(connection.pool);
    await installJobs(connection.pool);
    return { ...connection, secrets: new SecretBox(config.secretKeys) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
