import { and, eq, isNull, notInArray, or, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import type { campaigns } from '../db/campaigns-table.ts';
import type { Queries } from '../db/database.ts';
import { blockedNumbers, leads, secondaryContacts } from '../db/leads-table.ts';
import { assistants } from '../db/schema.ts';
import { blockNumber } from './blocked-number.ts';
import { classifyCall, optOutVariable } from './classify-call.ts';
import type { CallOutcome } from './classify-call.ts';
import { findCampaignFault, hasRepeatedFaults } from './campaign-fault.ts';
import type { CampaignFault } from './campaign-fault.ts';
import { nextRetryAt, scheduleNextTry, setContacts, setLead } from './schedule-next-try.ts';

type Campaign = typeof campaigns.$inferSelect;

/** Maximum wait for the evaluation of a call, in minutes. */
const evaluationTimeoutMinutes = 10;

const optOutField = JSON.stringify([{ name: optOutVariable }]);

/** A lead whose call has ended. */
interface CalledLead {
  leadId: number;
  tries: number;
  contactId: number | null;
  userId: number;
  phoneNumber: string;
  outcome: CallOutcome;
  endReason?: string | null;
  /** When the lead is updated without the evaluation of its call. */
  overdueAt?: Date;
}

/** The state of a campaign after its leads were updated. */
interface UpdatedLeads {
  /** When the evaluations are overdue that leads are waiting for. */
  overdueAt: Date[];
  /** The fault that ends the campaign's calls, so that it should not make any others. */
  fault: CampaignFault | undefined;
  /** Whether an error of the carrier ended one of the calls, so that the campaign should pause. */
  hasCarrierError: boolean;
}

/**
 * Updates the status of every lead of a campaign whose call has ended. The campaign's row must be locked.
 */
export async function updateCalledLeads(tx: Queries, campaign: Campaign, now: Date): Promise<UpdatedLeads> {
  const called = await findCalledLeads(tx, campaign, now);
  const fault = await findCampaignFault(
    tx,
    campaign,
    called.map(({ endReason }) => endReason),
  );
  for (const lead of called) {
    const isTry = lead.outcome === 'fault' && !fault && (await hasRepeatedFaults(tx, campaign, lead));
    await updateLead(tx, campaign, isTry ? { ...lead, outcome: 'missed' } : lead, now);
  }
  return {
    overdueAt: called.flatMap(({ outcome, overdueAt }) =>
      outcome === 'pending' && overdueAt ? overdueAt : [],
    ),
    fault,
    hasCarrierError: called.some(({ endReason }) => endReason === 'carrier-error'),
  };
}

async function findCalledLeads(tx: Queries, campaign: Campaign, now: Date): Promise<CalledLead[]> {
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
        OR NOT coalesce(${assistants.postCallEvaluation}, false)`,
      canOptOut: sql<boolean>`coalesce(${assistants.postCallSchema} @> ${optOutField}::jsonb, false)`,
      endedAt: sql<string>`extract(epoch FROM ${calls.endedAt}) * 1000`,
      isBlocked: sql<boolean>`EXISTS ${blocked}`,
    })
    .from(leads)
    .leftJoin(calls, eq(calls.id, leads.callId))
    .leftJoin(assistants, eq(assistants.id, calls.assistantId))
    .where(
      and(
        eq(leads.campaignId, campaign.id),
        eq(leads.status, 'processing'),
        or(isNull(calls.id), notInArray(calls.status, [...openCallStatuses])),
      ),
    )
    .orderBy(leads.id)
    // Their owner may change or delete them meanwhile, which locks a lead before its contacts.
    .for('no key update', { of: leads });
  return rows.map(({ lead, call, ...row }) => {
    // The call was deleted; it is not repeated.
    if (!call) return { ...lead, contactId: null, phoneNumber: '', outcome: 'reached' };
    const { contactId, clientPhoneNumber: phoneNumber, endReason } = call;
    const overdueAt = new Date(Number(row.endedAt) + evaluationTimeoutMinutes * 60_000);
    const called = { ...lead, contactId, phoneNumber, endReason, overdueAt };
    if (row.isBlocked) return { ...called, outcome: 'opted-out' };
    const isEvaluated = row.hasEvaluation || overdueAt <= now;
    const hasTranscript = call.messages.length > 0;
    const customerSpoke = call.messages.some(({ role }) => role === 'user');
    // However the call ended, the contacts of a customer who opted out must not be called.
    if (hasTranscript && row.canOptOut && !isEvaluated) return { ...called, outcome: 'pending' };
    const ended = { ...call, hasTranscript, customerSpoke, isEvaluated };
    return { ...called, outcome: classifyCall(ended, campaign) };
  });
}

async function updateLead(tx: Queries, campaign: Campaign, called: CalledLead, now: Date): Promise<void> {
  const { leadId, contactId, outcome } = called;
  if (outcome === 'pending') return;
  if (outcome === 'opted-out') {
    await blockNumber(tx, called.userId, called.phoneNumber);
  }
  if (outcome === 'reached') {
    const processing = and(eq(secondaryContacts.leadId, leadId), eq(secondaryContacts.status, 'processing'));
    await setContacts(tx, processing, 'completed');
  } else if (contactId !== null) {
    const status = outcome === 'opted-out' ? 'blacklisted' : 'rescheduled';
    await setContacts(tx, eq(secondaryContacts.id, contactId), status);
  }
  if (outcome === 'reached') await setLead(tx, leadId, { status: 'completed' });
  // The secondary contacts of a lead who opted out are not called either.
  else if (outcome === 'opted-out' && contactId === null)
    await setLead(tx, leadId, { status: 'blacklisted' });
  else if (outcome === 'not-counted')
    await setLead(tx, leadId, { status: 'rescheduled', nextTryAt: now.toISOString() });
  else if (outcome === 'fault')
    await setLead(tx, leadId, { status: 'rescheduled', nextTryAt: nextRetryAt(campaign, now) });
  else await scheduleNextTry(tx, campaign, called, now);
}
