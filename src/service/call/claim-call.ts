import { and, eq, isNull, sql } from 'drizzle-orm';
import { briefingColumns } from '../assistant/brief-assistant.ts';
import type { BriefingRow } from '../assistant/brief-assistant.ts';
import type { OutgoingCall } from '../carrier/carrier.ts';
import type { Lease } from '../conversation/accept-message.ts';
import { leaseEnd } from '../conversation/accept-message.ts';
import { fillVariables } from '../conversation/fill-variables.ts';
import { calls } from '../db/calls-table.ts';
import type { Database } from '../db/database.ts';
import { assistants, languages } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import type { CallSettings } from './call-parts.ts';

/** A call that this process, and no other, is to make. */
export interface ClaimedCall {
  id: number;
  call: OutgoingCall;
  settings: CallSettings;
  /** Who is on the phone. */
  speaker: BriefingRow;
  variables: StoredVariables;
}

/**
 * Promises to make a call that waits to be made.
 *
 * @returns undefined if somebody else has; 'orphan' if its assistant is gone.
 */
export async function claimCall(
  { db }: Database,
  callId: number,
  lease: Lease,
): Promise<ClaimedCall | 'orphan' | undefined> {
  const [claimed] = await db
    .update(calls)
    .set({ leaseOwner: lease.owner, leaseUntil: leaseEnd(lease.milliseconds), updatedAt: sql`now()` })
    .where(and(eq(calls.id, callId), eq(calls.status, 'initiated'), isNull(calls.leaseOwner)))
    .returning();
  if (!claimed) return undefined;
  const [found] = await db
    .select(briefingColumns)
    .from(assistants)
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(and(eq(assistants.id, claimed.assistantId ?? 0), isNull(assistants.deletedAt)));
  if (!found) return 'orphan';
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

const settingsOf = (assistant: BriefingRow['assistant'], variables: StoredVariables): CallSettings => ({
  initialMessage: fillVariables(assistant.initialMessage, variables),
  waitForCustomer: assistant.waitForCustomer,
  maxDuration: assistant.maxDuration,
  maxSilence: assistant.maxSilenceDuration,
  maxInitialSilence: assistant.maxInitialSilenceDuration,
  reengagementInterval: assistant.reengagementInterval,
  endCallOnVoicemail: assistant.endCallOnVoicemail,
  voiceMailMessage: fillVariables(assistant.voiceMailMessage ?? '', variables),
});
