import { createHash } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../repository.ts';

/**
 * Puts an empty, migrated database into a service's data folder. A service that creates its own needs the processor for
 * five to ten seconds.
 */
export async function copyPgliteImage(dataDir: string): Promise<void> {
  // Synchronous, since the asynchronous copy of a thousand small files takes twice as long.
  cpSync(await pgliteImage(), join(dataDir, 'database'), { recursive: true });
}

/** Returns a migrated PGlite folder, cached until the migrations or the version of PGlite change. */
async function pgliteImage(): Promise<string> {
  const migrations = join(repository, 'src/service/db/migrations');
  const pglite = join(repository, 'node_modules/@electric-sql/pglite/package.json');
  const files = (await readdir(migrations)).sort().map((file) => join(migrations, file));
  const hash = createHash('sha256');
  for (const file of [pglite, join(migrations, '../migrate.ts'), ...files]) hash.update(await readFile(file));
  const cache = join(repository, 'node_modules/.cache/test-service');
  const image = join(cache, hash.digest('hex').slice(0, 16));
  if (existsSync(image)) return image;
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'new-'));
  await createDatabase(folder);
  // Fails if another process has created the image meanwhile.
  await rename(join(folder, 'database'), image).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
  return image;
}

async function createDatabase(dataDir: string): Promise<void> {
  // Rarely needed, and a second of imports.
  const [{ readConfig }, { createLog }, { serve }] = await Promise.all([
    import('../../../src/service/config.ts'),
    import('../../../src/service/log.ts'),
    import('../../../src/service/serve.ts'),
  ]);
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    FSYNC: 'off',
    VOICE: 'off',
    DATA_DIR: dataDir,
  });
  const service = await serve(config, { log: createLog('silent') });
  await service.close();
}
