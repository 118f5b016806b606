import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import { engineContextColumns } from '../assistant/engine-context.ts';
import type { EngineContextRow } from '../assistant/engine-context.ts';
import { nextCallingTime } from '../campaign/calling-hours.ts';
import type { OutgoingCall } from '../carrier/carrier.ts';
import type { Lease } from '../lib/lease.ts';
import { leaseEnd } from '../lib/lease.ts';
import { fillVariables } from '../lib/fill-variables.ts';
import { calls } from '../db/calls-table.ts';
import { campaigns } from '../db/campaigns-table.ts';
import { databaseTime } from '../db/database-time.ts';
import type { Database } from '../db/database.ts';
import { assistants, languages } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { CallSettings } from './call-parts.ts';

/** An assistant with its settings for calls. */
export type CallContextRow = EngineContextRow & { assistant: typeof assistants.$inferSelect };

/** A call that is ready to be made. */
export interface PlannedCall {
  id: number;
  call: OutgoingCall;
  settings: CallSettings;
  /** The assistant that makes the call. */
  speaker: CallContextRow;
  variables: StoredVariables;
}

/** Seconds that a call may wait for a process. */
const maxWaitSeconds = 300;

/** Matches a call that no process has claimed. */
export const isUnclaimed = (callId: number) =>
  and(eq(calls.id, callId), eq(calls.status, 'initiated'), isNull(calls.leaseOwner));

/**
 * Reads everything that a waiting call needs. Has no side effects, so it can be repeated after a database error.
 *
 * @param at the time to compare with the calling hours; the database's current time by default.
 * @returns undefined if the call is no longer waiting, or the reason why it must not be made: its assistant was
 *   deleted or is of the other type, it has waited too long, or its campaign was stopped or is outside its calling hours.
 */
export async function planCall(
  { db }: Database,
  callId: number,
  at?: Date,
): Promise<PlannedCall | 'no-assistant' | 'not-started' | undefined> {
  const [waiting] = await db
    .select({
      ...getTableColumns(calls),
      waited: sql<number>`extract(epoch FROM now() - ${calls.createdAt})::float`,
    })
    .from(calls)
    .where(isUnclaimed(callId));
  if (!waiting) return undefined;
  if (waiting.waited > maxWaitSeconds) return 'not-started';
  if (waiting.campaignName !== null) {
    const [campaign] = await db
      .select()
      .from(campaigns)
      .where(eq(campaigns.id, waiting.campaignId ?? 0));
    if (campaign?.status !== 'in-progress') return 'not-started';
    const now = at ?? (await databaseTime(db));
    if (nextCallingTime(campaign, now)?.getTime() !== now.getTime()) return 'not-started';
  }
  const [found] = await db
    .select({ ...engineContextColumns, assistant: assistants })
    .from(assistants)
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(and(eq(assistants.id, waiting.assistantId ?? 0), isNull(assistants.deletedAt)));
  if (found === undefined || found.assistant.type !== waiting.type) return 'no-assistant';
  const { assistant, language } = found;
  const variables = waiting.inputVariables;
  return {
    id: callId,
    speaker: found,
    variables,
    settings: callSettings(assistant, variables),
    call: {
      from: waiting.assistantPhoneNumber,
      to: waiting.clientPhoneNumber,
      ringingTime: assistant.ringingTime,
      record: assistant.record,
      language,
      speechSpeed: Number(assistant.speechSpeed),
    },
  };
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
});

/**
 * Claims a waiting call for one process.
 *
 * @returns whether the call was still unclaimed.
 */
export async function claimCall({ db }: Database, callId: number, lease: Lease): Promise<boolean> {
  const claimed = await db
    .update(calls)
    .set({ leaseOwner: lease.owner, leaseUntil: leaseEnd(lease.milliseconds), updatedAt: sql`now()` })
    .where(isUnclaimed(callId))
    .returning({ id: calls.id });
  return claimed.length > 0;
}
