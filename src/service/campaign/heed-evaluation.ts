import { tellCampaigns } from './send-tick.ts';
import type { calls } from '../db/calls-table.ts';
import type { Queries } from '../db/database.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { blockNumber } from './blocked-number.ts';
import { isTrue, objectionVariable } from './judge-call.ts';

/**
 * Does, in the transaction that stores the evaluation of a call, what follows from it: who does not want to be called
 * again is not, and the campaign of the call goes on with its lead.
 */
export async function heedEvaluation(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  call: Pick<typeof calls.$inferSelect, 'userId' | 'clientPhoneNumber' | 'campaignId' | 'leadId'>,
  found: StoredVariables,
): Promise<void> {
  const { userId, clientPhoneNumber } = call;
  if (isTrue(found[objectionVariable]) && clientPhoneNumber !== '') {
    await blockNumber(tx, userId, clientPhoneNumber);
  }
  await tellCampaigns({ tx, jobs }, call);
}
