import { notifyCampaigns } from './send-tick.ts';
import type { calls } from '../db/calls-table.ts';
import type { Queries } from '../db/database.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { blockNumber } from './blocked-number.ts';
import { isTrue, optOutVariable } from './classify-call.ts';

/**
 * Applies the evaluation of a call in the transaction that stores it: blocks the number of a customer who opted out,
 * and notifies the campaign of the call.
 */
export async function applyEvaluation(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  call: Pick<typeof calls.$inferSelect, 'userId' | 'clientPhoneNumber' | 'campaignId' | 'leadId'>,
  variables: StoredVariables,
): Promise<void> {
  const { userId, clientPhoneNumber } = call;
  if (isTrue(variables[optOutVariable]) && clientPhoneNumber !== '') {
    await blockNumber(tx, userId, clientPhoneNumber);
  }
  await notifyCampaigns({ tx, jobs }, call);
}
