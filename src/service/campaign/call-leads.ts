import { and, asc, eq, inArray, notExists, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import { campaigns } from '../db/campaigns-table.ts';
import type { Queries } from '../db/database.ts';
import { leads, secondaryContacts } from '../db/leads-table.ts';
import type { assistants } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { isBlocked } from './blocked-number.ts';
import { findCallerIds } from './caller-ids.ts';
import { scheduleNextTry, setContacts, setLead } from './schedule-next-try.ts';

type Campaign = typeof campaigns.$inferSelect;
type Assistant = typeof assistants.$inferSelect;

/**
 * Most leads with blocked numbers that one step handles; the next step continues. An embedded database answers no requests
 * during a step.
 */
const maxBlocked = 100;

/**
 * Stores calls for the due leads of a campaign, in the order of their due times, up to `limit`.
 *
 * @returns the number of stored calls, and whether more leads may be called at once.
 */
export async function callLeads(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  campaign: Campaign,
  assistant: Assistant,
  now: Date,
  limit: number,
): Promise<{ made: number; hasMore: boolean }> {
  const callerIds = await findCallerIds(tx, campaign.id, assistant.phoneNumberId);
  let made = 0;
  let blocked = 0;
  while (made < limit && blocked < maxBlocked) {
    const [lead] = await tx
      .select()
      .from(leads)
      .where(
        and(
          eq(leads.campaignId, campaign.id),
          inArray(leads.status, ['scheduled', 'rescheduled']),
          sql`${leads.nextTryAt} <= ${now.toISOString()}::timestamptz`,
          // The owner may have changed the status during a call.
          notExists(
            tx
              .select({ one: sql`1` })
              .from(calls)
              .where(and(eq(calls.leadId, leads.id), inArray(calls.status, openCallStatuses))),
          ),
        ),
      )
      .orderBy(asc(leads.nextTryAt), asc(leads.id))
      .limit(1)
      .for('no key update');
    if (!lead) break;
    const callee = await findCallee(tx, campaign, lead, now);
    if (!callee) {
      blocked += 1;
      continue;
    }
    const [stored] = await tx
      .insert(calls)
      .values({
        userId: campaign.userId,
        assistantId: assistant.id,
        campaignId: campaign.id,
        leadId: lead.id,
        leadPhoneNumber: lead.phoneNumber,
        contactId: callee.contactId,
        assistantName: assistant.name,
        campaignName: campaign.name,
        type: 'outbound',
        assistantPhoneNumber: callerIds[(campaign.callsMade + made) % callerIds.length] ?? '',
        clientPhoneNumber: callee.phoneNumber,
        inputVariables: { ...assistant.variables, ...lead.variables, ...callee.variables },
        // Not now(): the transaction may have waited for a lock.
        createdAt: sql`clock_timestamp()`,
      })
      .returning({ id: calls.id });
    if (!stored) throw new Error('The call was not stored.');
    await setLead(tx, lead.id, { status: 'processing', callId: stored.id });
    if (callee.contactId !== null) {
      await setContacts(tx, eq(secondaryContacts.id, callee.contactId), 'processing');
    }
    await jobs.send('place-call', { callId: stored.id, userId: campaign.userId }, { tx });
    made += 1;
  }
  if (made > 0) {
    await tx
      .update(campaigns)
      .set({ callsMade: sql`${campaigns.callsMade} + ${made}` })
      .where(eq(campaigns.id, campaign.id));
  }
  return { made, hasMore: blocked === maxBlocked };
}

/**
 * Returns the person to call for a lead: the lead or a secondary contact. If the number is blocked, updates the lead,
 * schedules the next contact, and returns undefined.
 */
async function findCallee(tx: Queries, campaign: Campaign, lead: typeof leads.$inferSelect, now: Date) {
  if (lead.nextContactId === null) {
    if (!(await isBlocked(tx, lead.userId, lead.phoneNumber))) {
      return { contactId: null, phoneNumber: lead.phoneNumber, variables: {} };
    }
    await setLead(tx, lead.id, { status: 'blacklisted' });
    return undefined;
  }
  const [contact] = await tx
    .select()
    .from(secondaryContacts)
    .where(eq(secondaryContacts.id, lead.nextContactId));
  if (contact && !(await isBlocked(tx, lead.userId, contact.phoneNumber))) {
    return { contactId: contact.id, phoneNumber: contact.phoneNumber, variables: contact.variables };
  }
  if (contact) await setContacts(tx, eq(secondaryContacts.id, contact.id), 'blacklisted');
  await scheduleNextTry(
    tx,
    campaign,
    { leadId: lead.id, tries: lead.tries, contactId: lead.nextContactId },
    now,
  );
  return undefined;
}
