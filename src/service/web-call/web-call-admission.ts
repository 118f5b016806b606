import { and, eq, isNotNull, isNull, not, sql } from 'drizzle-orm';
import { webCallErrorTexts } from '../../contract/web-call.ts';
import { affordableCalls, readCallBalance } from '../billing/call-balance.ts';
import { webCallMinutePrice } from '../billing/prices.ts';
import type { LineFactory } from '../realtime/line-factory.ts';
import { endCall, lostCall } from '../call/outcome/end-call.ts';
import type { EndCallDependencies, EndedCall } from '../call/outcome/end-call.ts';
import { planLine } from '../call/start/plan-line.ts';
import { isOpen } from '../call/is-open.ts';
import { voiceColumns } from '../assistant/voice-columns.ts';
import { checkOrigin } from '../conversation/check-origin.ts';
import { notifyProcesses } from '../conversation/notify-processes.ts';
import { requireProof } from '../conversation/proof-of-work.ts';
import { checkDailyUsage } from '../usage/daily-usage.ts';
import { isClosed } from '../conversation/is-closed.ts';
import type { Sender } from '../conversation/accept-message.ts';
import type { Database, Queries } from '../db/database.ts';
import { calls } from '../db/calls-table.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { leaseEnd } from '../lib/lease.ts';
import { newSecret } from '../lib/new-secret.ts';
import { fitText } from '../lib/storable.ts';
import { maxSecondsOf } from '../call/start/max-seconds.ts';
import { checkWebCallLimits } from '../billing/web-call-limits.ts';
import type { WebCallLimits } from '../billing/web-call-limits.ts';
import { assistants, conversations, languages } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { Refusal } from '../lib/refusal.ts';
import type { LinePlan } from '../voice/line.ts';

/** Selects a conversation that its visitor wants to continue by voice. */
const selectConversation = (queries: Queries, uuid: string) =>
  queries
    .select({
      id: conversations.id,
      type: conversations.type,
      isPreview: conversations.isPreview,
      record: assistants.record,
      variables: conversations.variables,
      aiEnabled: conversations.aiEnabled,
      isClosed,
      assistantId: assistants.id,
      assistantName: assistants.name,
      userId: assistants.userId,
      ...voiceColumns,
      webCalls: assistants.webCalls,
      maxConcurrentWebCalls: assistants.maxConcurrentWebCalls,
      maxVisitorWebCallMinutesPerDay: assistants.maxVisitorWebCallMinutesPerDay,
      maxWebCallMinutesPerDay: assistants.maxWebCallMinutesPerDay,
      maxDuration: assistants.maxDuration,
      allowedOrigins: assistants.allowedOrigins,
      proofOfWork: assistants.proofOfWork,
      maxMessagesPerDay: assistants.maxMessagesPerDay,
      maxVisitorMessagesPerDay: assistants.maxVisitorMessagesPerDay,
      maxTestMessagesPerDay: assistants.maxTestMessagesPerDay,
      assistantDeleted: sql<boolean>`${assistants.deletedAt} IS NOT NULL`,
    })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .innerJoin(languages, eq(languages.id, assistants.languageId))
    .where(eq(conversations.uuid, uuid));

type CallableConversation = Awaited<ReturnType<typeof selectConversation>>[number] & {
  maxSeconds: number;
  isRecorded: boolean;
};

/**
 * Reads a conversation for a call.
 *
 * @throws ConversationError, Refusal if the visitor may not call.
 */
export async function readCallOptions(
  { db }: Pick<Database, 'db'>,
  uuid: string,
  sender: Sender,
): Promise<CallableConversation> {
  return check((await selectConversation(db, uuid))[0], sender);
}

function check(
  found: Omit<CallableConversation, 'maxSeconds' | 'isRecorded'> | undefined,
  sender: Sender,
): CallableConversation {
  if (!found) throw ConversationError.conversationNotFound();
  if (found.assistantDeleted) throw ConversationError.assistantNotFound();
  if (!found.isPreview) checkOrigin(found.allowedOrigins, sender.origin);
  if (!found.webCalls) throw refuse(403, webCallErrorTexts.notOffered);
  if (found.isClosed) throw ConversationError.conversationEnded();
  if (!found.aiEnabled) {
    // Not 503, after which browsers try again to reconnect.
    throw refuse(409, `${webCallErrorTexts.unavailable}a person answers in this conversation.`);
  }
  return {
    ...found,
    maxSeconds: maxSecondsOf(found.type, found.maxDuration),
    // Anyone can open a test without a token, so its calls are not recorded.
    isRecorded: found.record && (found.type === 'widget' || found.isPreview),
  };
}

/** A call whose browser may connect. */
export interface AdmittedCall {
  callId: number;
  token: string;
  conversationId: number;
  maxSeconds: number;
  isRecorded: boolean;
  line: LinePlan;
}

/** The visitor who starts a call. */
export interface Caller {
  sender: Sender;
  /** The solution of the challenge for this call, if there was one. */
  proofOfWork: string | undefined;
}

/** Time for the browser to connect, in milliseconds: longer than the voice package waits for it. */
const connectMs = 25_000;

/**
 * Stores a call that a visitor starts.
 *
 * @throws ConversationError, Refusal
 */
export async function admitWebCall(
  { database, jobs, lineFactory }: { database: Database; jobs: Jobs; lineFactory: LineFactory },
  limits: WebCallLimits,
  uuid: string,
  { sender, proofOfWork }: Caller,
): Promise<AdmittedCall> {
  const { db } = database;
  const { id } = await readCallOptions(database, uuid, sender);
  await makeRoom({ database, jobs }, id);
  return db.transaction(async (tx) => {
    const [locked] = await selectConversation(tx, uuid).for('no key update', { of: conversations });
    const conversation = check(locked, sender);
    const { userId, assistantId, assistantName, maxSeconds, isRecorded, type, isPreview } = conversation;
    const { available, isLimited } = await readCallBalance(tx, userId);
    const [open] = await tx
      .select({ id: calls.id })
      .from(calls)
      // A call that was hung up may still run a tool. Its last message is then stored during the new call.
      .where(and(eq(calls.conversationId, conversation.id), isOpen, not(calls.hangUpRequested)));
    if (open) throw refuse(409, webCallErrorTexts.callInProgress);
    const price = webCallMinutePrice(lineFactory.modeOf(conversation));
    if (type === 'widget' && affordableCalls(available, price) === 0) {
      throw isLimited ? ConversationError.limitReached('') : ConversationError.insufficientBalance();
    }
    const parties = {
      userId,
      assistant: { ...conversation, id: assistantId },
      visitor: sender,
      isTest: type === 'test' && !isPreview,
    };
    await checkWebCallLimits(tx, parties, limits);
    const source = { assistantId, type, isPreview, visitor: sender, limits: conversation };
    const share = await checkDailyUsage(tx, source);
    if (conversation.proofOfWork) {
      // Also counts calls whose browser never connected: their solutions are used.
      const call = (await tx.$count(calls, eq(calls.conversationId, conversation.id))) + 1;
      await requireProof(tx, { conversationUuid: uuid, use: { call: String(call) }, share }, proofOfWork);
    }
    const token = newSecret();
    const [stored] = await tx
      .insert(calls)
      .values({
        userId,
        assistantId,
        assistantName,
        token,
        conversationId: conversation.id,
        type: 'web',
        answeredBy: 'human',
        inputVariables: conversation.variables,
        isRecorded,
        leaseUntil: leaseEnd(connectMs),
        // Not now(): the transaction may have waited for a lock.
        createdAt: sql`clock_timestamp()`,
      })
      .returning({ id: calls.id });
    if (!stored) throw new Error('The call was not stored.');
    const line = await planWebLine(tx, stored.id, assistantId);
    return { callId: stored.id, token, conversationId: conversation.id, maxSeconds, isRecorded, line };
  });
}

/** The end of a call whose browser did not connect. */
export const neverConnected: EndedCall = { status: 'failed', reason: 'not-connected' };

/**
 * Ends a call that no process owns, so that its visitor can call again: its connection was lost, or its browser has
 * not connected.
 */
async function makeRoom(dependencies: EndCallDependencies, conversationId: number): Promise<void> {
  const isIdle = and(
    eq(calls.conversationId, conversationId),
    eq(calls.type, 'web'),
    isNull(calls.leaseOwner),
  );
  await endCall(dependencies, and(isIdle, isNotNull(calls.answeredAt)), lostCall);
  if (await endCall(dependencies, and(isIdle, isNull(calls.answeredAt)), neverConnected))
    await notifyProcesses(dependencies.database.db, conversationId);
}

/**
 * Finds the open call of a visitor who reconnects.
 *
 * @throws ConversationError, Refusal
 */
export async function findWebCall(
  { db }: Pick<Database, 'db'>,
  uuid: string,
  token: string,
  sender: Sender,
): Promise<AdmittedCall> {
  const { id: conversationId, assistantId, maxSeconds } = await readCallOptions({ db }, uuid, sender);
  const [call] = await db
    .update(calls)
    .set({
      // Keeps the call open while the browser connects. A process that still owns it renews the lease itself.
      leaseUntil: sql`CASE WHEN ${calls.leaseOwner} IS NULL THEN ${leaseEnd(connectMs)} ELSE ${calls.leaseUntil} END`,
    })
    .where(and(eq(calls.conversationId, conversationId), eq(calls.token, fitText(token)), isOpen))
    .returning({ id: calls.id, isRecorded: calls.isRecorded });
  if (!call) throw refuse(409, webCallErrorTexts.callEnded);
  return {
    callId: call.id,
    token,
    conversationId,
    maxSeconds,
    isRecorded: call.isRecorded,
    line: await planWebLine(db, call.id, assistantId),
  };
}

async function planWebLine(queries: Queries, callId: number, assistantId: number): Promise<LinePlan> {
  const [found] = await queries.select().from(assistants).where(eq(assistants.id, assistantId));
  if (!found) throw ConversationError.assistantNotFound();
  return planLine(queries, callId, found);
}

const refuse = (status: 403 | 409, error: string) => new Refusal(status, { status: false, error });
