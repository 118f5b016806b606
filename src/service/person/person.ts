import { and, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import type { SQL, SQLWrapper } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { sendTick } from '../campaign/send-tick.ts';
import { scheduleNextTry } from '../campaign/schedule-next-try.ts';
import { hasPhoneNumber } from '../conversation/customer-conversation.ts';
import { failAbandonedRepliesOf } from '../conversation/fail-abandoned-replies.ts';
import { calls } from '../db/calls-table.ts';
import { campaigns } from '../db/campaigns-table.ts';
import { databaseTime } from '../db/database-time.ts';
import type { Queries } from '../db/database.ts';
import { leads, secondaryContacts } from '../db/leads-table.ts';
import { conversations } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';

/**
 * Identifies a person: by the UUID of a conversation, a phone number in E.164, or, unique per user, a customer identifier
 * or the `sub` of user tokens.
 */
export type Person =
  | { conversation: string }
  | { phone: string }
  | { customer: string; userId: number }
  | { sub: string; userId: number };

/** A condition for the conversations of a person. */
function isConversationOf(person: Person): SQL {
  if ('conversation' in person) return sql`conversations.uuid = ${person.conversation}::uuid`;
  if ('phone' in person) return hasPhoneNumber(person.phone);
  const isPerson =
    'sub' in person
      ? sql`conversations.verified_user = ${person.sub}`
      : sql`conversations.customer_identifier = ${person.customer}`;
  return sql`${isPerson} AND conversations.assistant_id IN (SELECT id FROM assistants WHERE user_id = ${person.userId})`;
}

/**
 * A condition for the calls to the other contacts of a person's lead, which have the lead's variables. The lead may have
 * been deleted since, or got another number.
 */
const isCallToContactOf = (phone: string): SQL => sql`calls.client_phone_number <> ${phone}
  AND (calls.lead_phone_number = ${phone} OR calls.lead_id IN (SELECT id FROM leads WHERE phone_number = ${phone}))`;

/** The part of a webhook's payload that is not about the contact who was called. */
const aboutLead = sql`jsonb_build_object(
  'lead', payload::jsonb -> 'lead', 'input_variables', payload::jsonb -> 'input_variables')`;

const phoneOf = (person: Person): string => ('phone' in person ? person.phone : '');

/** All stored data about a person. */
export interface PersonData {
  conversations: unknown[];
  calls: unknown[];
  /** Calls to the contacts of the person's lead, without what those contacts said. */
  calls_to_contacts: unknown[];
  leads: unknown[];
  secondary_contacts: unknown[];
  blocked_numbers: unknown[];
}

/** Reads all stored data about a person, including webhook deliveries. */
export async function readPerson(queries: Queries, person: Person): Promise<PersonData> {
  const all = async (query: SQL) =>
    (await queries.execute<{ row: unknown }>(query)).rows.map(({ row }) => row);
  const deliveries = (condition: SQL, payload = sql`payload::jsonb`) => sql`(
    SELECT coalesce(jsonb_agg(jsonb_build_object('event', event, 'url', url, 'status', status,
      'payload', ${payload}, 'created_at', created_at) ORDER BY id), '[]')
    FROM webhook_deliveries WHERE ${condition})`;
  const phone = phoneOf(person);
  return {
    conversations: await all(sql`
      SELECT to_jsonb(conversations) - '{id,assistant_id,end_handled_until,inactivity_check_at}'::text[] || jsonb_build_object(
        'assistant', (SELECT name FROM assistants WHERE id = conversations.assistant_id),
        'messages', (SELECT coalesce(jsonb_agg(jsonb_build_object('role', role, 'content', content,
            'function_calls', function_calls, 'tool_results', tool_results, 'created_at', created_at)
            ORDER BY turn, id), '[]') FROM messages WHERE conversation_id = conversations.id),
        'webhooks', ${deliveries(sql`conversation_id = conversations.id`)}) AS row
      FROM conversations WHERE ${isConversationOf(person)} ORDER BY id`),
    calls: await all(sql`
      SELECT to_jsonb(calls) - '{user_id,lead_phone_number,lease_owner,lease_until,is_recorded,recording_token,end_handled_at,token,connect_token}'::text[]
        || jsonb_build_object('recording_path', '/api/recordings/' || recording_token,
          'webhooks', ${deliveries(sql`call_id = calls.id`)}) AS row
      FROM calls WHERE client_phone_number = ${phone} AND ${phone} <> ''
        OR conversation_id IN (SELECT id FROM conversations WHERE ${isConversationOf(person)}) ORDER BY id`),
    calls_to_contacts: await all(sql`
      SELECT jsonb_build_object('id', id, 'assistant_name', assistant_name, 'created_at', created_at,
        'input_variables', input_variables,
        'webhooks', ${deliveries(sql`call_id = calls.id`, aboutLead)}) AS row
      FROM calls WHERE ${isCallToContactOf(phone)} ORDER BY id`),
    leads: await all(sql`
      SELECT to_jsonb(leads) - 'user_id' || jsonb_build_object(
        'campaign', (SELECT name FROM campaigns WHERE id = leads.campaign_id),
        'secondary_contacts', (SELECT coalesce(jsonb_agg(to_jsonb(secondary_contacts) - 'lead_id' ORDER BY id), '[]')
          FROM secondary_contacts WHERE lead_id = leads.id)) AS row
      FROM leads WHERE phone_number = ${phone} ORDER BY id`),
    secondary_contacts: await all(sql`
      SELECT to_jsonb(secondary_contacts) AS row FROM secondary_contacts
      WHERE phone_number = ${phone} ORDER BY id`),
    blocked_numbers: await all(sql`
      SELECT to_jsonb(blocked_numbers) - 'user_id' AS row FROM blocked_numbers WHERE phone_number = ${phone}`),
  };
}

/** Finds the users who have data about a person that {@link deletePerson} deletes. */
export async function findOwners(queries: Queries, person: Person): Promise<number[]> {
  const phone = phoneOf(person);
  const { rows } = await queries.execute<{ owner: number }>(sql`
    SELECT assistants.user_id AS owner FROM conversations JOIN assistants ON assistants.id = assistant_id
      WHERE ${isConversationOf(person)}
    UNION SELECT user_id FROM calls WHERE client_phone_number = ${phone} AND ${phone} <> ''
    UNION SELECT user_id FROM calls WHERE ${isCallToContactOf(phone)}
    UNION SELECT user_id FROM leads WHERE phone_number = ${phone}
    UNION SELECT leads.user_id FROM secondary_contacts JOIN leads ON leads.id = lead_id
      WHERE secondary_contacts.phone_number = ${phone}`);
  return rows.map(({ owner }) => owner);
}

/** Numbers of deleted records, and of calls to contacts without the lead's data from now on. */
export type PersonCounts = Record<
  'conversations' | 'calls' | 'calls_to_contacts' | 'leads' | 'secondary_contacts',
  number
>;

/**
 * Deletes the data that {@link readPerson} reads, with messages, recordings and webhook payloads. A number that asked
 * not to be called stays blocked, or it would be called again. Calls to the contacts of a lead stay, without the lead's
 * variables. Ledger entries remain, without references. Active calls are hung up, and campaigns continue with the next
 * contact.
 */
export async function deletePerson(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  person: Person,
): Promise<PersonCounts> {
  const phone = phoneOf(person);
  await lockLeads(tx, phone);
  const rescheduledLeads = await findRescheduledLeads(tx, phone);
  const conversationIds = await lockConversations(tx, person);
  const callsToContacts = await forgetInCallsToContacts(tx, phone);
  // Calls first: they refer to leads, which refer to contacts.
  const deletedCalls = await deleteCalls(tx, phone, conversationIds);
  const deletedLeads = await tx
    .delete(leads)
    .where(eq(leads.phoneNumber, phone))
    .returning({ campaignId: leads.campaignId });
  const deletedContacts = await tx
    .delete(secondaryContacts)
    .where(eq(secondaryContacts.phoneNumber, phone))
    .returning({ campaignId: campaignOf(secondaryContacts.leadId) });
  await tx.delete(conversations).where(inArray(conversations.id, conversationIds));
  for (const { recordingId, activeCarrierCallId } of deletedCalls) {
    if (recordingId !== null) await jobs.send('delete-recording', { recordingId }, { tx });
    if (activeCarrierCallId !== null)
      await jobs.send('hang-up', { carrierCallId: activeCarrierCallId }, { tx });
  }
  const now = await databaseTime(tx);
  for (const { lead, campaign } of rescheduledLeads)
    await scheduleNextTry(tx, campaign, { ...lead, leadId: lead.id, contactId: lead.nextContactId }, now);
  const campaignIds = [
    ...deletedCalls.flatMap(({ campaignId, leadCampaignId }) => [campaignId, leadCampaignId]),
    ...[...deletedLeads, ...deletedContacts].map(({ campaignId }) => campaignId),
  ].filter((id) => id !== null);
  for (const id of [...new Set(campaignIds)].sort((a, b) => a - b)) await sendTick(jobs, tx, id);
  return {
    conversations: conversationIds.length,
    calls: deletedCalls.length,
    calls_to_contacts: callsToContacts,
    leads: deletedLeads.length,
    secondary_contacts: deletedContacts.length,
  };
}

/** The campaign of a lead, if any. */
const campaignOf = (leadId: SQLWrapper) =>
  sql<number | null>`(SELECT campaign_id FROM leads WHERE id = ${leadId})`;

/** Deletes the calls of a person. Returns the campaigns, recordings and active calls that this affects. */
const deleteCalls = (tx: Queries, phone: string, conversationIds: number[]) =>
  tx
    .delete(calls)
    .where(
      or(
        phone === '' ? undefined : eq(calls.clientPhoneNumber, phone),
        inArray(calls.conversationId, conversationIds),
      ),
    )
    .returning({
      campaignId: calls.campaignId,
      leadCampaignId: campaignOf(calls.leadId),
      recordingId: calls.carrierRecordingId,
      activeCarrierCallId: sql<
        string | null
      >`CASE WHEN ${inArray(calls.status, openCallStatuses)} THEN ${calls.carrierCallId} END`,
    });

/** Locks leads before their calls and contacts, as their deletion does. */
const lockLeads = (tx: Queries, phone: string) =>
  tx.execute(sql`
    SELECT id FROM leads WHERE phone_number = ${phone}
      OR id IN (SELECT lead_id FROM secondary_contacts WHERE phone_number = ${phone})
    ORDER BY id FOR UPDATE`);

/** Calls to the contacts of a lead are those contacts' data, except for the number and the variables of the lead. */
async function forgetInCallsToContacts(tx: Queries, phone: string): Promise<number> {
  const { rows } = await tx.execute(sql`
    WITH forgotten AS (
      UPDATE calls SET input_variables = '{}', lead_phone_number = NULL
      WHERE ${isCallToContactOf(phone)} RETURNING id),
    deliveries AS (DELETE FROM webhook_deliveries WHERE call_id IN (SELECT id FROM forgotten))
    SELECT id FROM forgotten`);
  return rows.length;
}

/** The leads whose contact with this number is the next to call, or is being called: another one is called instead. */
const findRescheduledLeads = (tx: Queries, phone: string) =>
  tx
    .select({ lead: leads, campaign: campaigns })
    .from(leads)
    .innerJoin(secondaryContacts, eq(secondaryContacts.id, leads.nextContactId))
    .innerJoin(campaigns, eq(campaigns.id, leads.campaignId))
    .leftJoin(calls, and(eq(calls.id, leads.callId), inArray(calls.status, openCallStatuses)))
    .where(
      and(
        eq(secondaryContacts.phoneNumber, phone),
        or(eq(leads.status, 'rescheduled'), and(eq(leads.status, 'processing'), isNotNull(calls.id))),
      ),
    )
    .orderBy(leads.id);

/** Locks the conversations of a person before their messages, as in every transaction. Returns their ids. */
async function lockConversations(queries: Queries, person: Person): Promise<number[]> {
  const { rows } = await queries.execute<{ id: string }>(
    sql`SELECT id FROM conversations WHERE ${isConversationOf(person)} ORDER BY id FOR UPDATE`,
  );
  const ids = rows.map(({ id }) => Number(id));
  if (ids.length === 0) return [];
  await queries.execute(sql`
    SELECT id FROM messages WHERE conversation_id IN ${ids} ORDER BY id FOR UPDATE`);
  await failAbandonedRepliesOf(queries, ids);
  return ids;
}
