import { userTokenKeys } from '../schema.ts';
import { tools } from '../tools-table.ts';
import { webhookSecrets } from '../webhooks-tables.ts';
import type { SealedColumn } from './secret-box.ts';

/** The headers of mid-call tools, which contain API keys. */
export const toolHeaders: SealedColumn<{ name: string; value: string }[]> = {
  column: tools.headers,
  owner: tools.userId,
  id: tools.id,
};

/** The secrets that sign webhooks. */
export const webhookSecret: SealedColumn<string> = {
  column: webhookSecrets.secret,
  owner: webhookSecrets.userId,
  id: webhookSecrets.id,
};

/** The keys that verify user tokens. */
export const userTokenKey: SealedColumn<string> = {
  column: userTokenKeys.key,
  owner: userTokenKeys.assistantId,
  id: userTokenKeys.assistantId,
};

/** Every encrypted column. */
export const sealedColumns: readonly SealedColumn[] = [toolHeaders, webhookSecret, userTokenKey];
