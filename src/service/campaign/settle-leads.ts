import { and, eq, gt, inArray, isNull, notInArray, or, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import type { campaigns } from '../db/campaigns-table.ts';
import type { Queries } from '../db/database.ts';
import { blockedNumbers, leads, secondaryContacts } from '../db/leads-table.ts';
import { assistants } from '../db/schema.ts';
import { blockNumber } from './blocked-number.ts';
import { judgeCall } from './judge-call.ts';
import type { Verdict } from './judge-call.ts';

type Campaign = typeof campaigns.$inferSelect;
type LeadStatus = (typeof leads.$inferSelect)['status'];

/** How long the evaluation of a call is waited for, in minutes; what it has not found by then, it has not found. */
const evaluationMinutes = 10;

/** A lead whose call is over. */
interface Called {
  leadId: number;
  tries: number;
  contactId: number | null;
  userId: number;
  phoneNumber: string;
  verdict: Verdict;
}

/**
 * Gives every lead of a campaign whose call is over its next state. The campaign's row is locked.
 *
 * @returns whether some have to wait for an evaluation.
 */
export async function settleLeads(tx: Queries, campaign: Campaign, now: Date): Promise<boolean> {
  const called = await findCalled(tx, campaign, now);
  for (const lead of called) await settle(tx, campaign, lead, now);
  return called.some(({ verdict }) => verdict === 'open');
}

async function findCalled(tx: Queries, campaign: Campaign, now: Date): Promise<Called[]> {
  const blocked = tx
    .select({ one: sql`1` })
    .from(blockedNumbers)
    .where(
      and(eq(blockedNumbers.userId, calls.userId), eq(blockedNumbers.phoneNumber, calls.clientPhoneNumber)),
    );
  const rows = await tx
    .select({
      lead: { leadId: leads.id, userId: leads.userId, tries: leads.tries },
      call: calls,
      hasEvaluation: sql<boolean>`${calls.endHandledAt} IS NOT NULL
        OR NOT coalesce((SELECT post_call_evaluation FROM ${assistants}
          WHERE ${assistants.id} = ${calls.assistantId}), false)`,
      endedAt: sql<string>`extract(epoch FROM ${calls.endedAt}) * 1000`,
      isBlocked: sql<boolean>`EXISTS ${blocked}`,
    })
    .from(leads)
    .leftJoin(calls, eq(calls.id, leads.callId))
    .where(
      and(
        eq(leads.campaignId, campaign.id),
        eq(leads.status, 'processing'),
        or(isNull(calls.id), notInArray(calls.status, [...openCallStatuses])),
      ),
    )
    .orderBy(leads.id);
  return rows.map(({ lead, call, ...row }) => {
    // Its record was deleted. Nobody is called again because of that.
    if (!call) return { ...lead, contactId: null, phoneNumber: '', verdict: 'reached' };
    const called = { ...lead, contactId: call.contactId, phoneNumber: call.clientPhoneNumber };
    if (row.isBlocked) return { ...called, verdict: 'objected' };
    const isLate = now.getTime() - Number(row.endedAt) > evaluationMinutes * 60_000;
    const isEvaluated = row.hasEvaluation || isLate;
    return {
      ...called,
      verdict: judgeCall({ ...call, wasTalkedTo: call.lines.length > 0, isEvaluated }, campaign),
    };
  });
}

async function settle(tx: Queries, campaign: Campaign, called: Called, now: Date): Promise<void> {
  const { leadId, contactId, verdict } = called;
  if (verdict === 'open') return;
  if (verdict === 'objected') {
    await blockNumber(tx, called.userId, called.phoneNumber);
  }
  if (verdict === 'reached') {
    const called = and(eq(secondaryContacts.leadId, leadId), eq(secondaryContacts.status, 'processing'));
    await setContacts(tx, called, 'completed');
  } else if (contactId !== null) {
    const statuses = {
      reached: 'completed',
      objected: 'blacklisted',
      missed: 'rescheduled',
      again: 'rescheduled',
    };
    await setContacts(tx, eq(secondaryContacts.id, contactId), statuses[verdict] as LeadStatus);
  }
  if (verdict === 'reached') await setLead(tx, leadId, { status: 'completed' });
  // Who does not want to be called does not want others to be called because of them either.
  else if (verdict === 'objected' && contactId === null) await setLead(tx, leadId, { status: 'blacklisted' });
  else if (verdict === 'again')
    await setLead(tx, leadId, { status: 'rescheduled', nextTryAt: now.toISOString() });
  else await tryNext(tx, campaign, called, now);
}

/** Has the next contact called at once; after the last one a round is over, and the next one begins after a while. */
export async function tryNext(
  tx: Queries,
  campaign: Campaign,
  { leadId, tries, contactId }: Pick<Called, 'leadId' | 'tries' | 'contactId'>,
  now: Date,
): Promise<void> {
  const [next] = await tx
    .select({ id: secondaryContacts.id })
    .from(secondaryContacts)
    .where(
      and(
        eq(secondaryContacts.leadId, leadId),
        gt(secondaryContacts.id, contactId ?? 0),
        notInArray(secondaryContacts.status, ['completed', 'blacklisted']),
        sql`NOT EXISTS (SELECT 1 FROM ${blockedNumbers} JOIN ${leads} ON ${leads.userId} = ${blockedNumbers.userId}
          WHERE ${leads.id} = ${leadId} AND ${blockedNumbers.phoneNumber} = ${secondaryContacts.phoneNumber})`,
      ),
    )
    .orderBy(secondaryContacts.id)
    .limit(1);
  if (next) {
    await setLead(tx, leadId, {
      status: 'rescheduled',
      nextContactId: next.id,
      nextTryAt: now.toISOString(),
    });
    return;
  }
  if (tries >= campaign.maxRetries) {
    await setLead(tx, leadId, { status: 'reached-max-retries', tries: tries + 1, nextContactId: null });
    await setContacts(
      tx,
      and(
        eq(secondaryContacts.leadId, leadId),
        inArray(secondaryContacts.status, ['rescheduled', 'processing']),
      ),
      'reached-max-retries',
    );
    return;
  }
  const nextTryAt = new Date(now.getTime() + campaign.retryInterval * 60_000).toISOString();
  await setLead(tx, leadId, { status: 'rescheduled', tries: tries + 1, nextContactId: null, nextTryAt });
}

export const setLead = (tx: Queries, leadId: number, values: Partial<typeof leads.$inferInsert>) =>
  tx
    .update(leads)
    .set({ ...values, updatedAt: sql`now()` })
    .where(eq(leads.id, leadId));

export const setContacts = (tx: Queries, which: ReturnType<typeof and>, status: LeadStatus) =>
  tx
    .update(secondaryContacts)
    .set({ status, updatedAt: sql`now()` })
    .where(which);
