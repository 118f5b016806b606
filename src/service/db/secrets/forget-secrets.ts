import { like, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { userTokenKeys } from '../schema.ts';
import { tools } from '../tools-table.ts';
import { webhookSecrets } from '../webhooks-tables.ts';

/**
 * Removes the secrets that are encrypted with a lost key: tools lose their headers; the secrets of webhooks and the keys of
 * user tokens are deleted.
 *
 * @param keyId id of the key, eight hexadecimal digits.
 * @returns the number of removed secrets by table and column.
 */
export function forgetSecrets({ db }: Database, keyId: string): Promise<Record<string, number>> {
  const stored = `v1:${keyId}:%`;
  return db.transaction(async (tx) => {
    const headers = await tx
      .update(tools)
      .set({ headers: sql`'plain:[]'` })
      .where(like(tools.headers, stored))
      .returning({ id: tools.id });
    const secrets = await tx
      .delete(webhookSecrets)
      .where(like(webhookSecrets.secret, stored))
      .returning({ id: webhookSecrets.id });
    const keys = await tx
      .delete(userTokenKeys)
      .where(like(userTokenKeys.key, stored))
      .returning({ id: userTokenKeys.assistantId });
    return {
      'tools.headers': headers.length,
      'webhook_secrets.secret': secrets.length,
      'user_token_keys.key': keys.length,
    };
  });
}
