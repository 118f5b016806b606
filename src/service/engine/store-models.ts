import { sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import type { ModelConfig } from './read-models.ts';

/**
 * Stores the configured models among those that assistants can choose, by code. A model that was removed from the
 * settings stays, because assistants may use it; the default model answers for it.
 */
export async function storeModels({ db }: Database, models: ModelConfig[]): Promise<void> {
  if (models.length === 0) return;
  await db.transaction(async (tx) => {
    // Processes that start together must not take the same ids.
    await tx.execute(sql`LOCK TABLE models IN SHARE ROW EXCLUSIVE MODE`);
    for (const { code, name, type } of models) {
      await tx.execute(sql`INSERT INTO models (id, type, name, code)
        SELECT coalesce(max(id), 0) + 1, ${type}, ${name}, ${code} FROM models
        ON CONFLICT (code) DO UPDATE SET name = excluded.name, type = excluded.type`);
    }
  });
}
