import { eq } from 'drizzle-orm';
import type { Database } from '../src/service/db/database.ts';
import { assistants } from '../src/service/db/schema.ts';
import { demoAssistants } from '../src/service/seed/demo-assistants.ts';
import { createPreviewToken } from '../src/service/user-token/preview-token.ts';

/**
 * Creates a preview token for an assistant of the demo; undefined for any other. Everyone who can open the demo's pages
 * may have one: the demo listens on this computer only, unless `HOST` is set.
 */
export async function createDemoPreviewToken(
  database: Database,
  uuid: string,
): Promise<{ token: string } | undefined> {
  if (!demoAssistants.some((assistant) => assistant.uuid === uuid)) return undefined;
  const [owned] = await database.db
    .select({ id: assistants.id, userId: assistants.userId })
    .from(assistants)
    .where(eq(assistants.uuid, uuid));
  return owned && createPreviewToken(database, owned);
}
