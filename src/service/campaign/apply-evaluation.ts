import { notifyCampaigns } from './send-tick.ts';
import type { calls } from '../db/calls-table.ts';
import type { Queries } from '../db/database.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { blockNumber } from './blocked-number.ts';
import { isTrue, objectionVariable } from './judge-call.ts';

/**
 * Applies the evaluation of a call in the transaction that stores it: blocks the number of a customer who does not want
 * to be called again, and has the call's campaign continue with its lead.
 */
export async function applyEvaluation(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  call: Pick<typeof calls.$inferSelect, 'userId' | 'clientPhoneNumber' | 'campaignId' | 'leadId'>,
  found: StoredVariables,
): Promise<void> {
  const { userId, clientPhoneNumber } = call;
  if (isTrue(found[objectionVariable]) && clientPhoneNumber !== '') {
    await blockNumber(tx, userId, clientPhoneNumber);
  }
  await notifyCampaigns({ tx, jobs }, call);
}
