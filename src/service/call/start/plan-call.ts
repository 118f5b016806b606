import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import { engineContextColumns } from '../../assistant/engine-context.ts';
import type { EngineContextRow } from '../../assistant/engine-context.ts';
import { isBlocked } from '../../campaign/blocked-number.ts';
import { findCallerIds } from '../../campaign/caller-ids.ts';
import { nextCallingTime } from '../../campaign/calling-hours.ts';
import type { OutgoingCall } from '../../carrier/carrier.ts';
import { numberProblem } from '../../lib/callable-number.ts';
import type { AllowedCountries } from '../../lib/callable-number.ts';
import { fillVariables } from '../../lib/fill-variables.ts';
import { calls } from '../../db/calls-table.ts';
import { campaigns } from '../../db/campaigns-table.ts';
import { databaseTime } from '../../db/database-time.ts';
import type { Database, Queries } from '../../db/database.ts';
import { leads } from '../../db/leads-table.ts';
import { assistants, languages } from '../../db/schema.ts';
import type { StoredVariables } from '../../db/schema.ts';
import { planWebCall } from './plan-web-call.ts';
import type { WebPlan } from './plan-web-call.ts';
import type { CallSettings } from '../store/call-store.ts';
import { planLine } from './plan-line.ts';
import type { LinePlan } from '../../voice/line.ts';

/** An assistant with its settings for calls. */
export type CallContextRow = EngineContextRow & { assistant: typeof assistants.$inferSelect };

/** Maximum wait of a call for a process, in seconds. */
const maxWaitSeconds = 300;

/** Matches a call that has not been dialed. */
export const isWaiting = (callId: number) =>
  and(
    eq(calls.id, callId),
    eq(calls.status, 'initiated'),
    eq(calls.type, 'outbound'),
    isNull(calls.dialedAt),
  );

/** Why a waiting call must not be made; stored as its `end_reason`. */
type Obstacle = 'no-assistant' | 'not-started' | 'country-not-allowed' | 'blocked';

/** A call that can be dialed, without its secrets. */
export interface PlannedCall {
  campaignId: number | null;
  call: Omit<OutgoingCall, 'token' | 'connectToken'>;
  conversation: ConversationPlan;
}

/**
 * Reads the plan of a waiting call. Has no side effects, so it can be repeated after a database error.
 *
 * @param options.hasTurn whether the call has waited for its turn to be dialed. It is then not too late: otherwise every
 *   turn could be lost if many calls are waiting.
 * @param options.at the time to compare with the calling hours; the database's current time by default.
 * @returns undefined if the call is no longer waiting, or the reason why it must not be made: its assistant was deleted
 *   or is not outbound, it has waited too long, its lead was deleted or has got another status, number or campaign, its
 *   campaign was stopped or is outside its calling hours, or its number may not be called.
 */
export async function planCall(
  { db }: Database,
  callId: number,
  countries: AllowedCountries,
  { hasTurn = false, at }: { hasTurn?: boolean; at?: Date } = {},
): Promise<PlannedCall | Obstacle | undefined> {
  const [waiting] = await db
    .select({
      ...getTableColumns(calls),
      waited: sql<number>`extract(epoch FROM now() - ${calls.createdAt})::float`,
    })
    .from(calls)
    .where(isWaiting(callId));
  if (!waiting) return undefined;
  if (!hasTurn && waiting.waited > maxWaitSeconds) return 'not-started';
  if (waiting.campaignName !== null) {
    const [campaign] = await db
      .select()
      .from(campaigns)
      .where(eq(campaigns.id, waiting.campaignId ?? 0));
    if (campaign?.status !== 'in-progress') return 'not-started';
    const now = at ?? (await databaseTime(db));
    if (nextCallingTime(campaign, now)?.getTime() !== now.getTime()) return 'not-started';
    const [lead] = await db
      .select({ status: leads.status, campaignId: leads.campaignId, phoneNumber: leads.phoneNumber })
      .from(leads)
      .where(eq(leads.id, waiting.leadId ?? 0));
    if (lead?.status !== 'processing' || lead.campaignId !== waiting.campaignId) return 'not-started';
    const isOfLead = waiting.contactId === null;
    if (isOfLead && lead.phoneNumber !== waiting.leadPhoneNumber) return 'not-started';
  }
  const to = waiting.clientPhoneNumber;
  if (await isBlocked(db, waiting.userId, to)) return 'blocked';
  if (numberProblem(to, countries) !== undefined) return 'country-not-allowed';
  const conversation = await planConversation(db, waiting);
  if (conversation?.callContext.assistant.type !== 'outbound') return 'no-assistant';
  const { assistant } = conversation.callContext;
  return {
    campaignId: waiting.campaignId,
    conversation,
    call: {
      ...(await planLine(db, callId, assistant)),
      from: await chooseCallerId(db, waiting, assistant.phoneNumberId),
      to,
      ringingTime: assistant.ringingTime,
    },
  };
}

/** Keeps the caller ID of a waiting call, unless its owner has released or replaced the number meanwhile. */
async function chooseCallerId(
  queries: Queries,
  { campaignId, assistantPhoneNumber }: typeof calls.$inferSelect,
  assistantNumberId: number | null,
): Promise<string> {
  const callerIds = await findCallerIds(queries, campaignId, assistantNumberId);
  return callerIds.includes(assistantPhoneNumber) ? assistantPhoneNumber : (callerIds[0] ?? '');
}

/** The settings and context of a call's conversation. */
export interface ConversationPlan {
  /** The call's id. */
  id: number;
  settings: CallSettings;
  /** The assistant that speaks, and what its prompt needs. */
  callContext: CallContextRow;
  variables: StoredVariables;
  /** Set for web calls. */
  web?: WebPlan | undefined;
}

/** The plan of a call that has a line. */
export interface ConnectedPlan extends ConversationPlan {
  /** The mode in which the call runs, which determines its price: `pipeline` if its line has no realtime model. */
  mode: LinePlan['mode'];
}

/** Reads a call's assistant; undefined if it was deleted. */
export async function planConversation(
  queries: Queries,
  call: typeof calls.$inferSelect,
): Promise<ConversationPlan | undefined> {
  const { id, assistantId, inputVariables: variables } = call;
  const [callContext] = await queries
    .select({ ...engineContextColumns, assistant: assistants })
    .from(assistants)
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(and(eq(assistants.id, assistantId ?? 0), isNull(assistants.deletedAt)));
  if (!callContext) return undefined;
  const plan = { id, callContext, variables, settings: callSettings(callContext.assistant, variables) };
  return call.type === 'web' ? planWebCall(queries, call, plan) : plan;
}

const callSettings = (assistant: CallContextRow['assistant'], variables: StoredVariables): CallSettings => ({
  initialMessage: fillVariables(assistant.initialMessage, variables),
  waitForCustomer: assistant.waitForCustomer,
  maxDuration: assistant.maxDuration,
  maxSilence: assistant.maxSilenceDuration,
  maxInitialSilence: assistant.maxInitialSilenceDuration,
  reengagementInterval: assistant.reengagementInterval,
  endCallOnVoicemail: assistant.endCallOnVoicemail,
  voiceMailMessage: fillVariables(assistant.voiceMailMessage ?? '', variables),
  fillers: assistant.fillers ? assistant.fillerConfig : undefined,
});
