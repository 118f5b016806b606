import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { installJobs } from './jobs/boss.ts';
import type { Database } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { openPglite } from './db/open-pglite.ts';
import { openPostgres } from './db/open-postgres.ts';

/**
 * Opens the database that the settings name and brings its tables up to date: PostgreSQL at `databaseUrl`, else
 * PGlite in the data folder.
 *
 * @throws DataFolderInUseError if another process works in the data folder; DatabaseUnreachableError
 */
export async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const database =
    config.databaseUrl === undefined
      ? await openPglite(join(config.dataDir, 'database'), { fsync: config.fsync, log })
      : await openPostgres(config.databaseUrl, { poolSize: config.databasePoolSize, log });
  try {
    await migrate(database.pool);
    await installJobs(database.pool);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
