import { and, eq, isNull, sql } from 'drizzle-orm';
import { answeredCallStatuses } from '../../contract/call.ts';
import { recordingUrlOf } from '../recording/recording-url.ts';
import { engineContextColumns } from '../assistant/engine-context.ts';
import { applyEvaluation } from '../campaign/apply-evaluation.ts';
import { calls } from '../db/calls-table.ts';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database } from '../db/database.ts';
import { leads } from '../db/leads-table.ts';
import { assistants, conversations, languages } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { callPayload } from '../webhook/call-payload.ts';
import { createDelivery } from '../webhook/create-delivery.ts';
import type { NewDelivery } from '../webhook/create-delivery.ts';
import { evaluateAndStore } from './evaluate-and-store.ts';
import type { EvaluationDependencies } from './evaluate-and-store.ts';

/** Handles the end of a call once: evaluates it, then creates the webhooks. */
export async function handleCallEnded(
  dependencies: EvaluationDependencies,
  job: { callId: number },
  signal: AbortSignal,
  retryCount: number,
): Promise<void> {
  const { database, jobs } = dependencies;
  const found = await readEnded(database, job.callId);
  if (!found) return;
  const { call, assistant } = found;
  if (found.isUnhandledTest) {
    await database.db
      .update(calls)
      .set({ endHandledAt: sql`now()` })
      .where(eq(calls.id, call.id));
    return;
  }
  const ended = {
    transcript: [...call.messages],
    language: found.language,
    model: found.toolModel ?? found.model,
    ...assistant,
  };
  await evaluateAndStore(dependencies, ended, { retryCount, signal }, (evaluated) =>
    database.db.transaction(async (tx) => {
      const [unhandled] = await tx
        .select({ inputVariables: calls.inputVariables, leadPhoneNumber: calls.leadPhoneNumber })
        .from(calls)
        .where(and(eq(calls.id, call.id), isNull(calls.endHandledAt)))
        .for('no key update');
      if (!unhandled) return;
      const { inputVariables } = unhandled;
      // The person of the lead may have been deleted during the evaluation.
      const lead = unhandled.leadPhoneNumber === call.leadPhoneNumber ? found.lead : null;
      await applyEvaluation({ tx, jobs }, call, evaluated?.variables ?? {});
      const payload = callPayload(
        {
          ...call,
          ...found.timestamps,
          conversationUuid: found.conversationUuid,
          recordingUrl: recordingUrlOf(dependencies.publicUrl(), call),
          timezone: assistant.timezone,
          extractedVariables: evaluated?.variables ?? {},
          inputVariables,
          lead,
          campaign: found.campaign,
        },
        assistant.includeRecordingInWebhook,
      );
      let error: string | undefined;
      for (const [url, event] of webhookUrlsOf(found)) {
        const ids = { userId: call.userId, assistantId: assistant.id, callId: call.id };
        error = (await createDelivery(tx, jobs, { ...ids, event, url, payload })) ?? error;
      }
      // The evaluation of an unanswered call is empty.
      const wasAnswered = call.answeredAt !== null || call.messages.length > 0;
      // Updated once: see `chargeMinutes`.
      await tx
        .update(calls)
        .set({
          ...evaluated,
          ...(!wasAnswered && { evaluation: {} }),
          ...(error !== undefined && { webhookResponse: { error } }),
          endHandledAt: sql`now()`,
        })
        .where(eq(calls.id, call.id));
    }),
  );
}

/** Returns the webhook URLs of a call with their events. A URL that is configured for both events is called once. */
function webhookUrlsOf({ call, assistant }: EndedCallRow): Map<string, NewDelivery['event']> {
  const { isWebhookActive, webhookUrl, inboundWebhookUrl, sendWebhookOnlyOnCompleted } = assistant;
  const isAnswered = answeredCallStatuses.some((status) => status === call.status);
  // A call answered by a machine does not count as completed.
  const isCompleted = isAnswered && call.answeredBy !== 'machine';
  const urls = new Map<string, NewDelivery['event']>();
  if (call.type === 'inbound' && inboundWebhookUrl !== null) {
    urls.set(inboundWebhookUrl, 'inbound-call-ended');
  }
  if (isWebhookActive && webhookUrl !== null && (isCompleted || !sendWebhookOnlyOnCompleted)) {
    urls.set(webhookUrl, 'call-ended');
  }
  return urls;
}

type EndedCallRow = NonNullable<Awaited<ReturnType<typeof readEnded>>>;

/** Reads a call whose end has not been handled. Also returns undefined if its assistant no longer exists. */
async function readEnded({ db }: Database, callId: number) {
  const [found] = await db
    .select({
      call: calls,
      conversationUuid: conversations.uuid,
      // Anyone can open a test without a token, so it is neither evaluated nor sends webhooks, as with chats.
      isUnhandledTest: sql<boolean>`coalesce(${conversations.type} = 'test' AND NOT ${conversations.isPreview}, false)`,
      ...engineContextColumns,
      assistant: assistants,
      lead: {
        id: leads.id,
        phone_number: leads.phoneNumber,
        variables: leads.variables,
        status: leads.status,
        created_at: wireTimestamp(leads.createdAt),
        updated_at: wireTimestamp(leads.updatedAt),
      },
      campaign: {
        id: campaigns.id,
        name: campaigns.name,
        status: campaigns.status,
        allowed_hours_start_time: campaigns.allowedHoursStartTime,
        allowed_hours_end_time: campaigns.allowedHoursEndTime,
        allowed_days: campaigns.allowedDays,
        max_calls_in_parallel: campaigns.maxCallsInParallel,
        max_retries: campaigns.maxRetries,
        retry_interval: campaigns.retryInterval,
        created_at: wireTimestamp(campaigns.createdAt),
        updated_at: wireTimestamp(campaigns.updatedAt),
      },
      timestamps: {
        createdAt: wireTimestamp(calls.createdAt),
        endedAt: wireTimestamp(sql`coalesce(${calls.endedAt}, ${calls.updatedAt})`),
      },
    })
    .from(calls)
    .innerJoin(assistants, eq(assistants.id, calls.assistantId))
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .leftJoin(leads, eq(leads.id, calls.leadId))
    .leftJoin(conversations, eq(conversations.id, calls.conversationId))
    .leftJoin(campaigns, eq(campaigns.id, calls.campaignId))
    .where(and(eq(calls.id, callId), isNull(calls.endHandledAt)));
  return found;
}
