import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import { briefingColumns } from '../assistant/brief-assistant.ts';
import type { BriefingRow } from '../assistant/brief-assistant.ts';
import { nextCallingTime } from '../campaign/calling-hours.ts';
import type { OutgoingCall } from '../carrier/carrier.ts';
import type { Lease } from '../lib/lease.ts';
import { leaseEnd } from '../lib/lease.ts';
import { fillVariables } from '../lib/fill-variables.ts';
import { calls } from '../db/calls-table.ts';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database } from '../db/database.ts';
import { assistants, languages } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { CallSettings } from './call-parts.ts';

/** An assistant as a call needs it: with its settings for phones. */
export type CallBriefing = BriefingRow & { assistant: typeof assistants.$inferSelect };

/** A call that this process, and no other, is to make. */
export interface ClaimedCall {
  id: number;
  call: OutgoingCall;
  settings: CallSettings;
  /** Who is on the phone. */
  speaker: CallBriefing;
  variables: StoredVariables;
}

/** Longest time, in seconds, for which a call may wait for a process; nobody expects it any more after that. */
const longestWait = 300;

/**
 * Promises to make a call that waits to be made.
 *
 * @returns undefined if somebody else has; or why it is not to be made after all: its assistant is gone or calls nobody
 *   any more, it has waited for too long, or its campaign was stopped or its hours are over.
 */
export async function claimCall(
  { db }: Database,
  callId: number,
  lease: Lease,
  now: Date,
): Promise<ClaimedCall | 'no-assistant' | 'not-begun' | undefined> {
  const [claimed] = await db
    .update(calls)
    .set({ leaseOwner: lease.owner, leaseUntil: leaseEnd(lease.milliseconds), updatedAt: sql`now()` })
    .where(and(eq(calls.id, callId), eq(calls.status, 'initiated'), isNull(calls.leaseOwner)))
    .returning({
      ...getTableColumns(calls),
      waited: sql<number>`extract(epoch FROM now() - ${calls.createdAt})::float`,
    });
  if (!claimed) return undefined;
  if (claimed.waited > longestWait) return 'not-begun';
  if (claimed.campaignName !== null) {
    const [campaign] = await db
      .select()
      .from(campaigns)
      .where(eq(campaigns.id, claimed.campaignId ?? 0));
    if (campaign?.status !== 'in-progress') return 'not-begun';
    if (nextCallingTime(campaign, now)?.getTime() !== now.getTime()) return 'not-begun';
  }
  const [found] = await db
    .select({ ...briefingColumns, assistant: assistants })
    .from(assistants)
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(and(eq(assistants.id, claimed.assistantId ?? 0), isNull(assistants.deletedAt)));
  if (found?.assistant.type !== 'outbound') return 'no-assistant';
  const { assistant, language } = found;
  const variables = claimed.inputVariables;
  return {
    id: callId,
    speaker: found,
    variables,
    settings: settingsOf(assistant, variables),
    call: {
      from: claimed.assistantPhoneNumber,
      to: claimed.clientPhoneNumber,
      ringingTime: assistant.ringingTime,
      record: assistant.record,
      language,
      speechSpeed: Number(assistant.speechSpeed),
    },
  };
}

const settingsOf = (assistant: CallBriefing['assistant'], variables: StoredVariables): CallSettings => ({
  initialMessage: fillVariables(assistant.initialMessage, variables),
  waitForCustomer: assistant.waitForCustomer,
  maxDuration: assistant.maxDuration,
  maxSilence: assistant.maxSilenceDuration,
  maxInitialSilence: assistant.maxInitialSilenceDuration,
  reengagementInterval: assistant.reengagementInterval,
  endCallOnVoicemail: assistant.endCallOnVoicemail,
  voiceMailMessage: fillVariables(assistant.voiceMailMessage ?? '', variables),
});
