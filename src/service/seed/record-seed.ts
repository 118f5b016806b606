import { recordChange } from '../audit/audit-log.ts';
import type { Change } from '../audit/audit-log.ts';
import type { Queries } from '../db/database.ts';

/** Adds a record of the demo to the audit log, in the transaction that created it. */
export const recordSeed = (
  tx: Queries,
  created: Pick<Change, 'userId' | 'object' | 'objectId'>,
): Promise<void> => recordChange(tx, { ...created, actor: { type: 'command-line' }, operation: 'seed' });
