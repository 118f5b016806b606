import { eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { InboundCallAnswer } from '../../contract/webhook.ts';
import type { InboundCallWebhook } from '../../contract/webhook.ts';
import { calls } from '../db/calls-table.ts';
import type { Database } from '../db/database.ts';
import { assistants } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import { webhookDeliveries } from '../db/webhooks-tables.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { fitJson, fitText } from '../lib/storable.ts';
import type { FetchGuarded } from '../outgoing/fetch-guarded.ts';
import { resetFailures, disabledReason } from '../webhook-url/disable-failing-url.ts';
import { postWebhook } from './post-webhook.ts';
import type { WebhookRequest } from './post-webhook.ts';
import { zonedTimestamp } from './zoned-timestamp.ts';

/** The parts of the service that send this webhook. */
export interface InboundWebhookDependencies {
  database: Database;
  /** Makes requests to addresses that users chose. */
  fetch: FetchGuarded;
  log: Logger;
}

/** Maximum silence for the caller, in milliseconds. */
const timeoutMs = 2000;

/** Bytes of an answer: more than the largest valid one. */
const maxAnswerBytes = 1_048_576;

/** Characters of an answer that are stored. */
const storedCharacters = 4096;

/**
 * Sends `inbound_webhook_url` the start of an inbound call, and stores the variables of its answer with the call. Does
 * nothing if no address is set or the webhook was already sent.
 *
 * A slow, failing or malformed answer is logged and stored; the call continues with the assistant's variables.
 */
export async function askInboundWebhook(
  dependencies: InboundWebhookDependencies,
  callId: number,
): Promise<void> {
  const { database, log } = dependencies;
  const { db } = database;
  const started = await readStarted(database, callId);
  if (!started) return;
  const { webhookId, userId, assistantId, url, payload } = started;
  const disabled = await disabledReason(db, { userId, url });
  const outcome: Outcome = disabled === undefined ? await ask(dependencies, started) : { error: disabled };
  const { status, body, error, variables } = outcome;
  if (error !== undefined) log.warn({ callId, error }, 'a call started without the answer of its webhook');
  await db.transaction(async (tx) => {
    await tx
      .insert(webhookDeliveries)
      .values({
        webhookId,
        userId,
        assistantId,
        callId,
        url,
        event: 'inbound-call-started',
        payload,
        status: error === undefined ? 'delivered' : 'failed',
        attempts: disabled === undefined ? 1 : 0,
        failures: error === undefined ? 0 : 1,
        responseStatus: status ?? null,
        responseBody: body ?? null,
        error: error ?? null,
      })
      .onConflictDoNothing({ target: webhookDeliveries.webhookId });
    await tx
      .update(calls)
      .set({
        webhookResponse: {
          ...(status !== undefined && { status, body }),
          ...(error !== undefined && { error }),
        },
        ...(variables && {
          inputVariables: sql`${calls.inputVariables} || ${JSON.stringify(fitJson(variables))}::jsonb`,
        }),
      })
      .where(eq(calls.id, callId));
    if (error === undefined) await resetFailures(tx, { userId, url });
  });
}

/** The id of a call's webhook. With the time, since the call's number is given again after an older backup was restored. */
const webhookId = sql<string>`concat_ws('_', 'msg_inbound_call', ${calls.id},
  (extract(epoch FROM ${calls.createdAt}) * 1000000)::bigint)`;

/** Reads a call whose webhook has not been sent; undefined if there is none to send. */
async function readStarted({ db }: Database, callId: number) {
  const [found] = await db
    .select({
      userId: calls.userId,
      type: calls.type,
      from: calls.clientPhoneNumber,
      to: calls.assistantPhoneNumber,
      variables: calls.inputVariables,
      createdAt: wireTimestamp(calls.createdAt),
      assistant: { id: assistants.id, uuid: assistants.uuid, timezone: assistants.timezone },
      url: assistants.inboundWebhookUrl,
      webhookId,
      sent: webhookDeliveries.id,
    })
    .from(calls)
    .innerJoin(assistants, eq(assistants.id, calls.assistantId))
    .leftJoin(webhookDeliveries, eq(webhookDeliveries.webhookId, webhookId))
    .where(eq(calls.id, callId));
  if (found?.type !== 'inbound' || found.url === null || found.sent !== null) return undefined;
  const { userId, assistant, url } = found;
  const payload: InboundCallWebhook = {
    id: callId,
    assistant_id: assistant.uuid,
    customer_phone: found.from,
    assistant_phone: found.to,
    status: 'in-progress',
    input_variables: found.variables,
    created_at: zonedTimestamp(found.createdAt, assistant.timezone),
  };
  return {
    userId,
    assistantId: assistant.id,
    url,
    webhookId: found.webhookId,
    payload: JSON.stringify(payload),
  };
}

/** The outcome of the request. An `error` says why there are no variables. */
interface Outcome {
  status?: number;
  body?: string;
  error?: string;
  variables?: StoredVariables | null | undefined;
}

async function ask(dependencies: InboundWebhookDependencies, request: WebhookRequest): Promise<Outcome> {
  const answer = await postWebhook(dependencies, request, { timeoutMs, maxBytes: maxAnswerBytes });
  if ('error' in answer) return answer;
  const { status, text } = answer;
  const answered = { status, body: fitText(text.slice(0, storedCharacters)) };
  if (status < 200 || status >= 300) return { ...answered, error: `the server answered with ${status}` };
  return { ...answered, ...readVariables(text) };
}

/** Reads `{variables}`. An empty answer has none. */
function readVariables(text: string): Pick<Outcome, 'error' | 'variables'> {
  if (text.trim() === '') return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { error: 'the answer is not JSON' };
  }
  const { data, error } = InboundCallAnswer.safeParse(body);
  if (data) return { variables: data.variables };
  const [issue] = error.issues;
  return {
    error: `the answer is not {"variables": {…}}: ${[...(issue?.path ?? []), issue?.message].join(' ')}`,
  };
}
