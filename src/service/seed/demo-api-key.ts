import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isApiKeyOf, storeApiKey } from '../api-key/api-key.ts';
import type { Queries } from '../db/database.ts';
import { recordSeed } from './record-seed.ts';

/**
 * Returns the demo's API key: random, stored in a file that only its owner can read, and reused as long as the database
 * knows it.
 */
export async function ensureDemoApiKey(queries: Queries, userId: number, dataDir: string): Promise<string> {
  const path = join(dataDir, 'demo-api-key');
  const stored = await readStored(path);
  if (stored !== undefined && (await isApiKeyOf(queries, userId, stored))) return stored;
  const { id, key } = await storeApiKey(queries, userId, 'Demo');
  await recordSeed(queries, { userId, object: 'api-key', objectId: id });
  await mkdir(dataDir, { recursive: true });
  await writeFile(path, `${key}\n`, { mode: 0o600 });
  return key;
}

async function readStored(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
